# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is made of rows: summaries, comparison with a baseline, a table, files."""
import json
import math

from workloads import MOVED

MAY_FALL = 0.9   # of the ratios in a baseline, and of the geomean with moved dimensions
NOT_BEHIND = 0.97


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def ratios_of(rows, moved=False):
    """The ratios of micro workloads as they are, or with moved dimensions."""
    return [row["ratio"] for row in rows if row["ratio"] and row["kind"] == "micro"
            and row["name"].endswith(MOVED) == moved]


def summaries(rows):
    """The geomeans of the kinds, and how near a plain product is to the peak."""
    result = {"micro": geomean(ratios_of(rows)), "micro_moved": geomean(ratios_of(rows, True)),
              **{key: geomean(row["ratio"] for row in rows
                              if row["ratio"] and row["kind"] == kind)
                 for key, kind in (("models", "model"), ("int8", "int8"), ("int4", "int4"),
                                   ("bf16", "bf16"))}}
    gemm = next((row for row in rows if row["name"] == "gemm_1024" and row["ours"]), None)
    result["gemm_1024_of_peak"] = gemm and gemm["fraction"]
    return result


def change_of(row, old):
    """By which factor our speed against the peers that both rows have changed, with the
    host compiler where it fell most; None where nothing can be compared."""
    changes = []
    for name, ratios in row["ratios"].items():
        common = [ratio / old["ratios"][name][peer] for peer, ratio in ratios.items()
                  if peer in old["ratios"].get(name, {})]
        changes += [geomean(common)] if common else []
    return min(changes, default=None)


def read_report(path):
    """A report that an earlier run has written."""
    report = json.loads(path.read_text())
    if report.get("format") != 1:
        raise ValueError(f"{path} is no report of format 1")
    return report


def rows_of(report):
    return {row["name"]: row for row in report["workloads"]}


def regressions(rows, baseline):
    """What fell by more than MAY_FALL allows: a list of texts."""
    found = []
    for row in rows:
        change = change_of(row, baseline[row["name"]]) if row["name"] in baseline else None
        if change is not None and change < MAY_FALL:
            found.append(f"{row['name']}: {(1 - change) * 100:.0f}% slower against the same "
                         "peers than the baseline says")
    plain, moved = geomean(ratios_of(rows)), geomean(ratios_of(rows, True))
    if plain and moved and moved < MAY_FALL * plain:
        found.append(f"moved dimensions: the geomean of the ratios is {moved:.2f}, without "
                     f"moving {plain:.2f}, which is {(1 - moved / plain) * 100:.0f}% less")
    return found


def number(value, form=".2f"):
    return "" if value is None else format(value, form)


def milliseconds(value):
    """Three digits, as far as there are some."""
    return "" if value is None else f"{value:.{max(0, 2 - int(math.log10(max(value, 1e-3))))}f}"


def why_not(failure):
    return "wrong" if "wrong: " in failure else "failed"


def table_of(rows, peers):
    """Lines of a Markdown table."""
    titles = ["workload", "fusec ms", *(f"{peer} ms" for peer in peers), "best", "ratio",
              "floor ms", "of floor", "compile s", "MB", "others"]
    lines = ["| " + " | ".join(titles) + " |",
             "|---|" + "---:|" * (1 + len(peers)) + "---|" + "---:|" * 6]
    for row in rows:
        ours = row["results"].get(row["ours"], {})
        compiler = row["ours"].split()[-1] if row["ours"] else ""
        cells = [row["name"], f"{milliseconds(ours.get('ms'))} {compiler}"]
        for peer in peers:
            result = row["results"].get(peer, {})
            cells.append(why_not(result["failure"]) if "failure" in result
                         else milliseconds(result.get("ms")))
        ratio = number(row["ratio"])
        if row["failure"]:
            cells[1] = why_not(row["failure"]).upper()
        elif row["ratio"] is not None and row["ratio"] >= NOT_BEHIND:
            ratio = f"**{ratio}**"
        cells += [row["best_peer"] or "", ratio, milliseconds(row.get("floor_ms")),
                  number(row.get("fraction")), number(ours.get("compile_s"), ".1f"),
                  number(ours.get("memory_mb"), ".0f"), number(row["others"], ".0%")]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def describe(report):
    """The text above a table."""
    machine, sums = report["machine"], report["summary"]
    peers = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    lines = [f"{machine['cpu']} (row {machine['row']}), {machine['threads']} threads; fusec at "
             f"{report['commit']}, {report['date']}; {peers}.",
             f"Measured: {machine['probe']['gflops']:.0f} GFLOP/s of f32 FMA, "
             f"{machine['probe']['gops8']:.0f} GOP/s on bytes, "
             + (f"{machine['probe']['gflops16']:.0f} GFLOP/s of bf16, "
                if "gflops16" in machine["probe"] else "") +
             f"{machine['probe']['gexps']:.1f}e9 exponentials a second."]
    if sums["gemm_1024_of_peak"]:
        lines.append(f"GEMM 1024^3 reaches {sums['gemm_1024_of_peak'] * 100:.0f}% of the "
                     "measured FMA peak.")
    named = (("micro", "micro"), ("micro_moved", "micro with moved dimensions"),
             ("models", "models"), ("int8", "8-bit models"),
             ("int4", "models with weights of 4 bits"),
             ("bf16", "models whose products may be of bf16"))
    means = [f"{title} {sums[key]:.2f}" for key, title in named if sums.get(key)]
    if means:
        lines.append(f"Geomeans of the ratios: {', '.join(means)}.")
    for what, who, most in (("others", "Other programs", 0.05), ("stolen", "The hypervisor", 0.01)):
        shares = [row[what] for row in report["workloads"] if row[what] > most]
        if shares:
            lines.append(f"{who} used the CPUs during {len(shares)} of "
                         f"{len(report['workloads'])} workloads, up to {max(shares) * 100:.0f}% "
                         "of their time.")
    return lines


def problems(report):
    """Failures of ours and of peers, and regressions: lines of text."""
    lines = []
    for row in report["workloads"]:
        lines += [f"{row['name']}: {name}: {result['failure'].splitlines()[0]}"
                  for name, result in row["results"].items() if "failure" in result]
    return lines + report["regressions"]


def text_of(report):
    """All of a report as Markdown."""
    peers = [name for name in report["versions"] if not name.startswith("fusec")]
    lines = [*describe(report), "", *table_of(report["workloads"], peers)]
    wrong = problems(report)
    return "\n".join(lines + ([""] + [f"- {line}" for line in wrong] if wrong else [])) + "\n"


def write_table(path, report):
    """`path` in Markdown and the report beside it as .json; what earlier runs measured of
    other workloads stays. Moved dimensions are others with each seed, and have no row."""
    beside = path.with_suffix(".json")
    old = read_report(beside) if beside.exists() else {"workloads": [], "versions": {}}
    rows = [row for row in (rows_of(old) | rows_of(report)).values()
            if not row["name"].endswith(MOVED)]
    merged = dict(report, workloads=rows, summary=summaries(rows),
                  versions=old["versions"] | report["versions"])
    path.parent.mkdir(parents=True, exist_ok=True)
    beside.write_text(json.dumps(merged, indent=1) + "\n")
    path.write_text(f"# {report['machine']['cpu']}\n\n" + HEAD + "\n" + text_of(merged))


HEAD = """Written by `tools/bench/run.py --table`. Times are medians, ours with the host compiler
(g++ or clang) that made it slower; a ratio is the best peer's time over ours, both of one run, so
that above 1 we are faster (bold: 0.97 or more). The floor is what the machine was measured to
need for the operations and bytes; Winograd's convolutions may go below it. Compile seconds are
CPU time of fusec and the host compiler; MB are what a loaded model takes; others is what other
programs used of the CPUs meanwhile: times suffer from it, ratios less.
"""
