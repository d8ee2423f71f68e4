"""
Scores raw text with KenLM's probing model, with several numbers of threads.

  KENLM=FOLDER kenlm.py MODEL.arpa TEXT [--repeat 10] [--runs 9] [--threads 1,16]

FOLDER: KenLM's sources, against which kenlm_bench.cc is compiled ($CXX, or g++), or a folder with its programs
build_binary and query (or FOLDER/bin, FOLDER/build/bin). These have no threads: one process per thread scores a part of
the text, and the time for an empty text, which is that of loading the model, is subtracted. Prints one JSON object per
line.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import peer

MAX_ORDER = 8


def sources(kenlm):
    """The library's source files, without programs and tests, as in its setup.py."""
    files = [file for folder in ("lm", "util", "util/double-conversion") for file in sorted((kenlm / folder).glob("*.cc"))]
    return [file for file in files if not file.name.endswith(("main.cc", "test.cc"))]


def build(kenlm, folder):
    """Compiles the driver and KenLM; returns the program."""
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        peer.absent("KenLM", f"its sources need a compiler, but {compiler} was not found; set CXX")
    here = pathlib.Path(__file__).resolve().parent
    flags = ["-std=c++14", "-O3", "-march=native", "-DNDEBUG", f"-DKENLM_MAX_ORDER={MAX_ORDER}", "-pthread", "-w"]

    def compile_one(file, target):
        subprocess.run([compiler, *flags, f"-I{kenlm}", "-c", str(file), "-o", str(target)], check=True)
        return str(target)

    files = [here / "kenlm_bench.cc"] + sources(kenlm)
    targets = [folder / f"{i}.o" for i in range(len(files))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, files, targets))
    program = folder / "kenlm_bench"
    subprocess.run([compiler, "-pthread", "-o", str(program), *objects], check=True)
    return program


def programs(kenlm):
    """The folder with build_binary and query, or None."""
    for folder in (kenlm, kenlm / "bin", kenlm / "build" / "bin"):
        if all(os.access(folder / name, os.X_OK) for name in ("build_binary", "query")):
            return folder
    return None


def parts(text, count, folder):
    """Splits the text at line ends into files of about the same size."""
    files = []
    start = 0
    for i in range(count):
        end = len(text) if i == count - 1 else text.find(b"\n", len(text) * (i + 1) // count) + 1
        end = len(text) if end == 0 else max(start, end)
        file = folder / f"part{i}"
        file.write_bytes(text[start:end])
        files.append(file)
        start = end
    return files


def query(program, model, files):
    """Scores each file in its own process. Returns the time in seconds, and the output of each process."""
    start = time.perf_counter()
    running = []
    for file in files:
        with open(file, "rb") as text:
            command = [str(program), "-v", "summary", str(model)]
            running.append(subprocess.Popen(command, stdin=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
    outputs = [process.communicate()[0].decode() for process in running]
    seconds = time.perf_counter() - start
    if any(process.returncode != 0 for process in running):
        raise RuntimeError(f"{program} failed")
    return seconds, outputs


def log10_and_tokens(output):
    """Parses the summary that query prints."""
    perplexity = float(re.search(r"Perplexity including OOVs:\s*(\S+)", output).group(1))
    tokens = int(re.search(r"Tokens:\s*(\d+)", output).group(1))
    return (0.0 if tokens == 0 else -tokens * math.log10(perplexity)), tokens


def run_programs(binaries, options, folder):
    """Measures with KenLM's own programs."""
    model = folder / "model.probing"
    build_binary = [str(binaries / "build_binary"), "probing", options.model, str(model)]
    subprocess.run(build_binary, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = pathlib.Path(options.text).read_bytes() * options.repeat
    empty = folder / "empty"
    empty.write_bytes(b"")
    for threads in options.threads:
        files = parts(text, threads, folder)
        times = []
        outputs = []
        for run in range(-1, options.runs):
            load, _ = query(binaries / "query", model, [empty] * threads)
            seconds, outputs = query(binaries / "query", model, files)
            if run >= 0:
                times.append(max(seconds - load, 1e-9))
        scored = [log10_and_tokens(output) for output in outputs]
        tokens = sum(count for _, count in scored)
        rates = [tokens / seconds / 1e6 for seconds in times]
        peer.emit(
            op="lm-peer",
            peer="KenLM probing",
            way="processes",
            threads=threads,
            queries=tokens,
            ms=peer.spread(times)[0] * 1e3,
            **peer.spread_fields("mqps", rates),
            perplexity=10 ** (-sum(log10 for log10, _ in scored) / tokens),
            runs=options.runs,
        )


def numbers(text):
    return [int(part) for part in text.split(",") if part]


def main():
    parser = argparse.ArgumentParser(description="KenLM's probing model on raw text")
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--threads", type=numbers, default=[1, os.cpu_count()])
    options = parser.parse_args()
    if not os.environ.get("KENLM"):
        peer.absent("KenLM", "KENLM is not set; set it to the folder with KenLM's sources or programs")
    kenlm = pathlib.Path(os.environ["KENLM"]).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if (kenlm / "lm" / "model.hh").exists():
            program = build(kenlm, folder)
            threads = [str(count) for count in options.threads]
            command = [program, options.model, options.text, str(options.repeat), str(options.runs), *threads]
            sys.exit(subprocess.run(command).returncode)
        binaries = programs(kenlm)
        if binaries is None:
            peer.absent("KenLM", f"{kenlm} has neither lm/model.hh nor build_binary and query")
        run_programs(binaries, options, folder)


if __name__ == "__main__":
    main()
