# SPDX-License-Identifier: MIT
"""Writes results.rst: the tables in the form that Documentation/performance.rst has."""

from report import (best, everybody, names_and_values, number, published, ratio, verdict,
                    with_unit)


def table(header, widths, rows):
    yield ".. csv-table::"
    yield "   :delim: |"
    yield "   :header-rows: 1"
    yield "   :widths: " + " ".join(str(width) for width in widths)
    yield ""
    for row in [header] + rows:
        yield "   " + " | ".join(row).rstrip()
    yield ""


def measured(line):
    own = line["own"]
    return (f"{with_unit(own['value'], line['unit'])} "
            f"({number(own['q1'], line['unit'])}-{number(own['q3'], line['unit'])})")


def main_rows(lines):
    for line in lines:
        if line["own"] is None:
            yield (line["label"], line["title"], "not measured", "", "", "", "", "", "")
            continue
        own = line["own"]
        yield (line["label"], line["title"], measured(line),
               number(own["cpu"], line["unit"]) if own["cpu"] else "", ratio(line),
               with_unit(line["target"], line["unit"]) if line["target"] else "", verdict(line),
               ", ".join(filter(None, (best(line), published(line)))), own["doubt"])


def peer_rows(lines):
    for line, peers in everybody(lines):
        yield (line["label"], line["title"] + (f", {line['unit']}" if line["unit"] else ""),
               names_and_values(line, peers))


def text(whole):
    machine = whole["machine"]
    about = [f"{machine['processor']} ({machine['isa']}), {machine['cpus']} CPUs, "
             f"Linux {machine['kernel']}, {machine['gcc']}, {machine['clang']}, "
             f"{machine['rustc']}; {machine['flags']}.",
             f"c is {whole['c_ns']:.2f} ns. Peers: "
             + ", ".join(f"{peer} {version}".strip() for peer, version in whole["found"].items())
             + ".", ""]
    header = ("row", "work", "nap (quartiles)", "CPU", "ratio", "target", "met", "best here; published",
              "doubt")
    return "\n".join(about
                     + list(table(header, (4, 30, 20, 8, 12, 10, 8, 18, 10),
                                  list(main_rows(whole["figures"]))))
                     + list(table(("row", "work", "everybody, the best first"), (4, 32, 64),
                                  list(peer_rows(whole["figures"]))))) + "\n"
