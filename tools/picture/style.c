/* SPDX-License-Identifier: MIT */
/*
 * Colours, for light and for dark. The rules have no variables, because not every program that
 * shows SVG understands variables. On paper the picture is light.
 */
#include "picture/layout.h"

static const char *const light =
"\t\t.nap-picture{font-family:ui-monospace,\"DejaVu Sans Mono\",\"Liberation Mono\",Menlo,Consolas,"
	"monospace}\n"
"\t\t.nap-paper{fill:#ffffff}\n"
"\t\t.nap-picture text{fill:#1f2328}\n"
"\t\t.nap-name{font-size:18px;font-weight:700}\n"
"\t\t.nap-sub{font-size:13px}\n"
"\t\t.nap-picture .nap-dim{fill:#59636e}\n"
"\t\t.nap-head{font-size:14px;font-weight:700}\n"
"\t\t.nap-what{font-size:14px;font-weight:600}\n"
"\t\t.nap-code,.nap-place,.nap-note{font-size:12px}\n"
"\t\t.nap-label text{font-size:12px}.nap-kind{font-weight:700}\n"
"\t\t.nap-box{fill:#f6f8fa;stroke:#818b98;stroke-width:1}\n"
"\t\t.nap-read .nap-box{fill:#eaf4ff;stroke:#54aeff}\n"
"\t\t.nap-write .nap-box{fill:#fff7e0;stroke:#d4a72c}\n"
"\t\t.nap-fence .nap-box{fill:#f3f0fa;stroke:#8a7ab8;stroke-dasharray:5 3}\n"
"\t\t.nap-event.nap-red .nap-box{stroke:#cf222e;stroke-width:2.5}\n"
"\t\t.nap-back{fill:#ffffff}\n"
"\t\t.nap-line{fill:none;stroke:#59636e;stroke-width:1.5}\n"
"\t\t.nap-tip{fill:#59636e;stroke:none}\n"
"\t\t.nap-rf .nap-line{stroke:#1a7f37}.nap-rf .nap-tip,.nap-picture .nap-rf text{fill:#1a7f37}\n"
"\t\t.nap-co .nap-line{stroke:#0757ba}.nap-co .nap-tip,.nap-picture .nap-co text{fill:#0757ba}\n"
"\t\t.nap-fr .nap-line{stroke:#bc4c00}.nap-fr .nap-tip,.nap-picture .nap-fr text{fill:#bc4c00}\n"
"\t\t.nap-dep .nap-line{stroke:#8250df;stroke-dasharray:6 3}"
	".nap-dep .nap-tip,.nap-picture .nap-dep text{fill:#8250df}\n"
"\t\t.nap-ctrl .nap-line{stroke-dasharray:2 3}\n"
"\t\t.nap-rmw .nap-line{stroke:#7d4e00}.nap-rmw .nap-tip,.nap-picture .nap-rmw text{fill:#7d4e00}\n"
"\t\t.nap-fenced .nap-line{stroke:#5b4b8a;stroke-dasharray:8 3 2 3}"
	".nap-fenced .nap-tip,.nap-picture .nap-fenced text{fill:#5b4b8a}\n"
"\t\t.nap-section .nap-line{stroke:#0a6c74;stroke-dasharray:1 3}"
	".nap-section .nap-tip,.nap-picture .nap-section text{fill:#0a6c74}\n"
"\t\t.nap-picture .nap-red .nap-line{stroke:#cf222e;stroke-width:3}"
	".nap-picture .nap-red .nap-tip{fill:#cf222e}\n"
"\t\t.nap-picture .nap-label.nap-red text,.nap-picture .nap-bad{fill:#cf222e;font-weight:700}\n"
"\t\t.nap-pill{fill:#eff2f5;stroke:#818b98}\n"
"\t\t.nap-pill.nap-never{fill:#ffebe9;stroke:#cf222e}\n"
"\t\t.nap-pill.nap-allowed{fill:#dafbe1;stroke:#1a7f37}\n"
"\t\t.nap-rule{stroke:#d1d9e0;stroke-width:1}\n";

static const char *const dark =
"\t\t.nap-paper,.nap-back{fill:#0d1117}\n"
"\t\t.nap-picture text{fill:#e6edf3}\n"
"\t\t.nap-picture .nap-dim{fill:#9198a1}\n"
"\t\t.nap-box{fill:#151b23;stroke:#656c76}\n"
"\t\t.nap-read .nap-box{fill:#0c2036;stroke:#388bfd}\n"
"\t\t.nap-write .nap-box{fill:#272115;stroke:#bb8009}\n"
"\t\t.nap-fence .nap-box{fill:#1d1830;stroke:#8a7ab8}\n"
"\t\t.nap-event.nap-red .nap-box{stroke:#ff7b72}\n"
"\t\t.nap-line{stroke:#9198a1}.nap-tip{fill:#9198a1}\n"
"\t\t.nap-rf .nap-line{stroke:#3fb950}.nap-rf .nap-tip,.nap-picture .nap-rf text{fill:#3fb950}\n"
"\t\t.nap-co .nap-line{stroke:#79c0ff}.nap-co .nap-tip,.nap-picture .nap-co text{fill:#79c0ff}\n"
"\t\t.nap-fr .nap-line{stroke:#f0883e}.nap-fr .nap-tip,.nap-picture .nap-fr text{fill:#f0883e}\n"
"\t\t.nap-dep .nap-line{stroke:#bc8cff}.nap-dep .nap-tip,.nap-picture .nap-dep text{fill:#bc8cff}\n"
"\t\t.nap-rmw .nap-line{stroke:#d9a441}.nap-rmw .nap-tip,.nap-picture .nap-rmw text{fill:#d9a441}\n"
"\t\t.nap-fenced .nap-line{stroke:#a99bd8}"
	".nap-fenced .nap-tip,.nap-picture .nap-fenced text{fill:#a99bd8}\n"
"\t\t.nap-section .nap-line{stroke:#56d4dd}"
	".nap-section .nap-tip,.nap-picture .nap-section text{fill:#56d4dd}\n"
"\t\t.nap-picture .nap-red .nap-line{stroke:#ff7b72}.nap-picture .nap-red .nap-tip{fill:#ff7b72}\n"
"\t\t.nap-picture .nap-label.nap-red text,.nap-picture .nap-bad{fill:#ff7b72}\n"
"\t\t.nap-pill{fill:#151b23;stroke:#656c76}\n"
"\t\t.nap-pill.nap-never{fill:#3c1618;stroke:#ff7b72}\n"
"\t\t.nap-pill.nap-allowed{fill:#12261e;stroke:#3fb950}\n"
"\t\t.nap-rule{stroke:#3d444d}\n";

void style_write(FILE *out)
{
	fprintf(out, "\t<style>\n%s\t\t@media screen and (prefers-color-scheme:dark){\n%s\t\t}\n"
		"\t</style>\n", light, dark);
}
