# SPDX-License-Identifier: MIT
"""What a program's pools do, in gdb: of a process, and of a core file.

    (gdb) source tools/gdb/nap.py
    (gdb) help nap

The parts of the commands are in nap_gdb/, beside this file. The library wants its debug information (-g).
"""

import os
import sys

# When gdb sources this file again, the modules are also read again.
for _name in [name for name in sys.modules if name.split(".")[0] == "nap_gdb"]:
    del sys.modules[_name]
sys.path.insert(0, os.path.dirname(os.path.abspath(os.path.expanduser(__file__))))
try:
    from nap_gdb import commands
finally:
    del sys.path[0]
commands.register()
