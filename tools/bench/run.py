#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusec against its peers: workloads with random weights, measured in turns in one run.

Prints a table: the median times of fusec (with the host compiler that made it slower) and
of each peer, the ratio of the best peer's time to ours (above 1 we are faster), the floor
of this machine and the fraction of it that we reach, compile seconds, memory. Each result
is compared with ONNX Runtime's before it is timed.
"""
import argparse
import datetime
import json
import pathlib
import random
import shutil
import subprocess
import sys
import time

EXAMPLES = """examples:
  tools/bench/run.py                             everything, which takes about an hour
  tools/bench/run.py gemm_1024 resnet50_b1       two workloads; --list names all
  tools/bench/run.py --micro --peers ort         single operators, one peer
  tools/bench/run.py --quick                     two minutes: what fell by over 10%?
  tools/bench/run.py --perturb 1                 the same operators with odd sizes
  tools/bench/run.py --chart bench.svg --table tools/bench/tables/CPU.md
                                                 CPU is {cpu} here

exit codes: 0 fine; 1 a result is wrong, fusec failed, or a ratio fell by over 10%;
4 something is not installed or built; 64 wrong usage
"""




class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"run.py: {message}\n")


def fail(message):
    print(f"run.py: {message}", file=sys.stderr)
    sys.exit(4)


try:
    from paths import REPOSITORY
    import numpy as np
    import report as reports
    import chart
    import machine
    from session import PEERS, Session, is_installed, peer_version, say
    from workloads import load_all, perturbed
except ModuleNotFoundError as missing:
    fail(f"{missing}; tools/setup.sh --bench makes .venv-bench, whose Python has it")

TABLES = pathlib.Path(__file__).resolve().parent / "tables"
# Of --quick: rounds, seconds of a turn, peers, which are soon loaded and never compile, and
# after how many seconds no further workload is begun.
QUICK_ROUNDS, QUICK_SECONDS, QUICK_PEERS, QUICK_LIMIT = 3, 0.05, ["ort", "openvino"], 110


def peer_list(text):
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"no peer '{name}'; there are {', '.join(PEERS)}")
    return names


def positive(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no positive number")
    return int(text)


def parse(arguments):
    parser = Parser(description=__doc__, epilog=EXAMPLES.format(cpu=machine.cpu_name()),
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="(default: all)")
    parser.add_argument("--micro", action="store_true", help="single operators, short chains")
    parser.add_argument("--models", action="store_true", help="whole networks")
    parser.add_argument("--int8", action="store_true",
                        help="8-bit operators and networks, which peers compute in 8 bits, too")
    parser.add_argument("--int4", action="store_true", help="weights of 4 bits")
    parser.add_argument("--bf16", action="store_true",
                        help="products of f32 that fusec and peers may round to bf16")
    parser.add_argument("--quick", action="store_true",
                        help="in two minutes: the micro ones and small networks, fewer peers and "
                             "rounds, compared with the baseline of this CPU")
    parser.add_argument("--list", action="store_true", help="the workloads' names")
    parser.add_argument("--peers", type=peer_list, help=f"some of {','.join(PEERS)}, or ''")
    parser.add_argument("--threads", type=positive, default=2)
    parser.add_argument("--repeat", type=positive, help="rounds (default: 7)")
    parser.add_argument("--perturb", type=int, metavar="SEED",
                        help="micro workloads also with each dimension moved by up to 7%%, off "
                             "multiples; their geomean may fall by 10%%")
    parser.add_argument("--baseline", type=pathlib.Path, metavar="FILE",
                        help="a .json of an earlier run; ratios may fall by 10%%")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="the report")
    parser.add_argument("--chart", type=pathlib.Path, metavar="FILE.svg")
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE.md",
                        help="adds the rows to this table and to the .json beside it")
    parser.add_argument("--fusec", type=pathlib.Path,
                        default=REPOSITORY / "build" / "bin" / "fusec")
    parser.add_argument("--compilers", default="g++,clang++-22",
                        help="the host compilers: the slower result counts (%(default)s)")
    parser.add_argument("--folder", type=pathlib.Path, default=REPOSITORY / "build" / "bench",
                        help="where models and what is built of them are kept")
    args = parser.parse_args(arguments)
    if args.quick and (args.workloads or args.micro or args.models or args.int8
                       or args.int4 or args.bf16 or args.perturb is not None):
        parser.error("--quick has workloads of its own")
    everything = load_all()
    unknown = [name for name in args.workloads if name not in everything]
    if unknown:
        parser.error(f"no workload '{unknown[0]}'; --list names them")
    return args


def select(args):
    """The workloads that were asked for, and their moved twins."""
    everything = load_all().values()
    if args.quick:
        return [w for w in everything if w.quick]
    kinds = {kind for kind, asked in (("micro", args.micro), ("model", args.models),
                                      ("int8", args.int8), ("int4", args.int4),
                                      ("bf16", args.bf16))
             if asked}
    if not kinds and not args.workloads:
        kinds = ({"micro"} if args.perturb is not None else
                 {"micro", "model", "int8", "int4", "bf16"})
    chosen = [w for w in everything if w.name in args.workloads or w.kind in kinds]
    if args.perturb is not None:
        rng = np.random.default_rng(args.perturb)
        twins = {w.name: perturbed(w, rng) for w in everything if w.kind == "micro"}
        chosen = [twin for w in chosen for twin in (w, twins.get(w.name)) if twin]
    return chosen


def settle(args):
    """Fills in what depends on the machine; fails where something is missing."""
    if not args.fusec.exists():
        fail(f"no program {args.fusec}; build first, or name it with --fusec")
    asked = args.compilers.split(",")
    args.compilers = [compiler for compiler in asked if shutil.which(compiler)]
    for compiler in set(asked) - set(args.compilers):
        say(f"no host compiler {compiler}: its kernels are not measured")
    if not args.compilers:
        fail(f"no host compiler of {', '.join(asked)}; tools/setup.sh installs them")
    if args.peers is None:
        wanted = QUICK_PEERS if args.quick else list(PEERS)
        args.peers = [peer for peer in wanted if is_installed(peer)]
        for peer in set(wanted) - set(args.peers):
            say(f"{peer} is not installed and not compared with; tools/setup.sh --bench "
                "installs peers into .venv-bench")
    for peer in args.peers:
        if not is_installed(peer):
            fail(f"the peer {peer} is not installed; tools/setup.sh --bench installs it into "
                 ".venv-bench")
    args.rounds = args.repeat or (QUICK_ROUNDS if args.quick else 7)
    args.seconds = QUICK_SECONDS if args.quick else 0.1
    args.deadline = time.monotonic() + QUICK_LIMIT if args.quick else float("inf")
    args.root = args.folder.resolve()
    if args.quick and not args.baseline:
        args.baseline = TABLES / f"{machine.cpu_name()}.json"
        if not args.baseline.exists():
            say(f"no baseline for this CPU: {args.baseline} does not exist")
            args.baseline = None
    try:
        return reports.rows_of(reports.read_report(args.baseline)) if args.baseline else {}
    except (OSError, ValueError, KeyError) as error:
        fail(f"the baseline: {error}")


def measure_all(session, prepared, baseline):
    """A row for each workload, for which there is time. One that seems to have fallen is
    measured once more, with more rounds: a busy machine is no regression."""
    rows = []
    for number, one in enumerate(prepared, 1):
        if time.monotonic() > session.options.deadline:
            left = ", ".join(one.workload.name for one in prepared[number - 1:])
            say(f"no time was left for {left}")
            break
        try:
            row = session.measure(one)
            if reports.regressions([row], baseline):
                say(f"{row['name']} fell; measuring it again")
                row = session.measure(one, effort=3)
        except KeyboardInterrupt:
            say("interrupted; this is what was measured")
            break
        rows.append(row)
        say(f"{number} of {len(prepared)}: {row['name']}: " + summary_of(row))
    return rows


def commit():
    """The commit that this tree is at, or None where it is no repository."""
    done = subprocess.run(["git", "-C", REPOSITORY, "rev-parse", "--short", "HEAD"],
                          capture_output=True, text=True)
    return done.stdout.strip() or None


def summary_of(row):
    if row["failure"]:
        return f"FAILED: {row['failure']}"
    ours = row["results"][row["ours"]]["ms"]
    text = f"{reports.milliseconds(ours)} ms ({row['ours']})"
    if row["best_peer"]:
        peer = row["results"][row["best_peer"]]["ms"]
        text += f", {row['best_peer']} {reports.milliseconds(peer)} ms, ratio {row['ratio']:.2f}"
    return text + f", {row['fraction']:.2f} of the floor"


def main(arguments=None):
    args = parse(arguments)
    if args.list:
        for workload in select(args):
            print(f"{workload.name:22} {workload.kind:6} {workload.dims or ''}")
        return 0
    baseline = settle(args)
    session = Session(args)
    load = machine.load_average()
    session.probe()
    rows = measure_all(session, session.build_all(select(args)), baseline)
    report = {
        "format": 1, "date": datetime.date.today().isoformat(), "commit": commit(),
        "machine": {"cpu": machine.cpu_name(), "row": machine.fusec_row(args.fusec),
                    "model": machine.cpu_info().get("model name", "unknown"),
                    "threads": args.threads, "load_before": load,
                    "load_after": machine.load_average(), "probe": machine.best_of(session.probes)},
        "versions": {peer: peer_version(peer) for peer in args.peers},
        "summary": reports.summaries(rows), "regressions": reports.regressions(rows, baseline),
        "workloads": rows}
    print(reports.text_of(report), end="", flush=True)
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")
    if args.chart:
        args.chart.write_text(chart.svg_of(report))
    if args.table:
        reports.write_table(args.table, report)
    failed = report["regressions"] or any(row["failure"] for row in rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
