# SPDX-License-Identifier: MIT
"""Reads types, words, names of functions and objects; one exception says what cannot be read."""

import re

import gdb


class Missing(Exception):
    """What the program, its debug information, or its memory lacks: a sentence."""


_types = {}


def begin():
    """Each command begins anew: since the last one a library may have come or gone."""
    _types.clear()
    _symbols.clear()


def needs_memory():
    if not gdb.selected_inferior().pid:
        raise Missing("no process and no core file: run the program, or open a core file of it")
    thread = gdb.selected_thread()
    if thread is None or thread.is_running():
        raise Missing("the program runs: interrupt it first")


def struct(name):
    """The type of struct NAME, complete."""
    if name not in _types:
        try:
            kind = gdb.lookup_type("struct " + name)
            kind = kind if kind.code == gdb.TYPE_CODE_STRUCT and kind.fields() else None
        except gdb.error:
            kind = None
        _types[name] = kind
    if _types[name] is None:
        raise Missing(f"no struct {name} in the debug information: build the library with -g")
    return _types[name]


def at(address, name):
    """The struct NAME at an address, not read yet."""
    return gdb.Value(int(address)).cast(struct(name).pointer()).dereference()


def offset(name, field):
    """The offset of a field; "a.b" is the field b of the field a."""
    kind, place = struct(name), 0
    for part in field.split("."):
        found = kind[part]
        place += found.bitpos // 8
        kind = found.type.strip_typedefs()
    return place


def container(address, name, field):
    """The struct NAME whose FIELD is at an address."""
    return at(int(address) - offset(name, field), name)


def address_of(value):
    return int(value.address)


def bytes_at(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def word_at(address):
    return int.from_bytes(bytes_at(address, 8), "little")


def is_readable(address, size=1):
    try:
        bytes_at(address, size)
        return True
    except (gdb.MemoryError, OverflowError):
        return False


def string(value, most=64):
    """The text of a char array or a char pointer, without characters that would break a line."""
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        if not int(value):
            return ""
        start = int(value)
        raw = b""
        while len(raw) < most and (byte := bytes_at(start + len(raw), 1)) != b"\0":
            raw += byte
    else:
        raw = bytes_at(int(value.address), value.type.sizeof).split(b"\0")[0]
    text = raw.decode(errors="replace")
    return "".join(c if c.isprintable() and c != '"' else "?" for c in text)


_symbol = re.compile(r" <(.*?)(?:\+(\d+))?>$")


_symbols = {}


def symbol(address):
    """(name, how far behind its beginning) of the symbol that has the address, or None."""
    if address not in _symbols:
        pointer = gdb.Value(address).cast(plain_pointer())
        found = _symbol.search(pointer.format_string(symbols=True))
        # Without debug information gdb takes nap__name for a mangled name of Ada, and prints
        # nap.name.
        _symbols[address] = (re.sub(r"^nap\.", "nap__", found[1]), int(found[2] or 0)) if found else None
    return _symbols[address]


def plain_pointer():
    """A type whose values gdb prints with the symbol, whatever the program's language."""
    try:
        return gdb.selected_inferior().architecture().integer_type(64, False).pointer()
    except AttributeError:  # before gdb 12
        return gdb.lookup_type("void").pointer()


def named(address):
    """As gdb prints an address: 0x1234 <name+5>."""
    found = symbol(address)
    if not found:
        return f"{address:#x}"
    return f"{address:#x} <{found[0]}{'+' + str(found[1]) if found[1] else ''}>"


def function(address):
    """<name>, or the address of a function without one."""
    found = symbol(address)
    if not found:
        return f"{address:#x}"
    return f"<{found[0]}{'+' + str(found[1]) if found[1] else ''}>"


def is_ours(address, name, file):
    """Whether a function is nap's NAME, which is static in FILE: the program may have another one of that name."""
    if symbol(address) != (name, 0):
        return False
    line = gdb.find_pc_line(address)
    return bool(line.symtab) and line.symtab.filename.endswith(file)


def in_c(text):
    """The value of an expression of C, whatever the program's language."""
    language = gdb.parameter("language")
    gdb.execute("set language c", to_string=True)
    try:
        return gdb.parse_and_eval(text)
    finally:
        gdb.execute(f"set language {language}", to_string=True)


def variable(name):
    """A global variable, or None."""
    try:
        return in_c(name)
    except gdb.error:
        return None


_variables = (None, "")


def variables():
    """gdb's list of variables whose type has nap_ in its name. gdb reads all debug information for it."""
    global _variables
    files = [file.filename for file in gdb.objfiles()]
    if _variables[0] != files:
        _variables = (files, gdb.execute("info variables -q -t nap_", to_string=True))
    return _variables[1]


def statics(name):
    """("variable", struct) of each variable of static storage that is a struct NAME, or an array of them."""
    kind, text = struct(name), variables()
    for label in sorted(set(re.findall(rf"^\d+:\s.*\bstruct {name}\s+(\w+)(?:\[\d+\])*;", text, re.M))):
        symbols = gdb.lookup_static_symbols(label)
        symbols += [s] if (s := gdb.lookup_global_symbol(label)) and s not in symbols else []
        for value in (s.value() for s in symbols if s.is_variable):
            yield from elements(label, value, kind)


def elements(label, value, kind):
    plain = value.type.strip_typedefs().unqualified()
    if plain == kind or (plain.code == gdb.TYPE_CODE_STRUCT and plain.tag == kind.tag):
        yield label, value
    elif plain.code == gdb.TYPE_CODE_ARRAY:
        for i in range(plain.range()[1] + 1):
            yield from elements(f"{label}[{i}]", value[i], kind)


def evaluate(text, name, what):
    """The struct NAME that an expression is, or points to; an address, too."""
    try:
        value = gdb.parse_and_eval(text)
    except gdb.error as error:
        raise Missing(str(error))
    plain = value.type.strip_typedefs()
    if plain.code == gdb.TYPE_CODE_INT:
        return at(int(value), name)
    if plain.code == gdb.TYPE_CODE_PTR:
        value = value.dereference()
    if value.type.strip_typedefs().unqualified().tag != name:
        raise Missing(f"{text} is no {what}: {value.type}")
    return value
