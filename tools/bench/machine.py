# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine: its name, what it can do, and who else used it meanwhile."""
import dataclasses
import json
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_info():
    """The fields of the first processor in /proc/cpuinfo."""
    text = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    return dict(re.findall(r"^([^\t:]+)\t*: (.*)$", text, re.M))


def cpu_name():
    """A name for files: the model's, with family and number, for virtual machines call
    many processors the same."""
    info = cpu_info()
    words = re.sub(r"\((r|tm)\)|\bcpu\b|@.*", " ", info.get("model name", "unknown").lower())
    numbers = [info[key] for key in ("cpu family", "model") if key in info]
    return "-".join(re.findall(r"[a-z0-9.]+", words) + numbers)


def fusec_row(fusec):
    """The row of fusec's table of targets that --cpu native takes here."""
    module = "func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> { return %x : tensor<1xf32> }"
    done = subprocess.run([fusec, "compile", "-", "--cpu", "native", "--until=import"],
                          input=module, capture_output=True, text=True)
    match = re.search(r'fuse\.target = "([^"]+)"', done.stdout)
    return match.group(1) if match else "unknown"


def run_probe(folder, compiler, threads):
    """Compiles probe.cpp, once, and runs it: {"gflops", "gops8", "gflops16", "gexps", "gbs": {bytes: GB/s}}."""
    source, program = HERE / "probe.cpp", folder / f"probe-{pathlib.Path(compiler).name}"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([compiler, "-O3", "-march=native", "-mprefer-vector-width=512",
                        "-std=c++17", "-pthread", source, "-o", program], check=True)
    answer = subprocess.run([program, str(threads)], check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


def best_of(probes):
    """What the machine reached in any of several probes: others may have used it."""
    rates = ("gflops", "gops8", "gflops16", "gexps")
    return {**{rate: max(p[rate] for p in probes) for rate in rates},
            "gbs": {size: max(p["gbs"][size] for p in probes) for size in probes[0]["gbs"]}}


@dataclasses.dataclass
class Usage:
    """Seconds that all CPUs have spent so far: in programs, and taken by the hypervisor."""
    busy: float
    stolen: float

    @staticmethod
    def now():
        fields = pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]
        user, nice, system, _, _, irq, softirq, stolen = (int(f) / TICKS for f in fields[:8])
        return Usage(user + nice + system + irq + softirq, stolen)


def cpu_seconds(pid):
    """Seconds that a process has used, all its threads together."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def load_average():
    return [round(load, 2) for load in os.getloadavg()]
