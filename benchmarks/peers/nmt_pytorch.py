"""
Latimer's small GRU in PyTorch: eager, dropping finished sentences, and with a captured step.

  nmt_pytorch.py [--ids IDS.tsv --model MODEL.lmx] [--runs 5] [--greedy 1,64,1024,4096] [--beam 1024] [--seconds 8] [--device cuda]

Uses random weights with the shape and the sentences of `nmt_bench small`; the end token is forbidden, so every
translation has as many words as its source has tokens. With --model, also measures that model, with the end token
allowed: IDS.tsv, written by NmtIds, has one sentence per line: its number of words separated by spaces, its source ids,
and Latimer's output in float16 and float32, greedy and with beam 5, with which the peer's output is compared. Prints
one JSON object per line: source words per second, the median of the runs after a warm-up.
"""

import argparse
import time

import lmx
import peer
import sentences

SMALL = {"source": 3477, "words": 4530, "embedding": 256, "state": 512}
BEAM = 5
SENTENCES = 8192  # sentences per run over a text; 500 with batches of one, as in NmtBench
SINGLE = 500


def random_weights(torch):
    """Weights of the shape of nmt_bench's `small`, under the names of an .lmx file; the values differ."""
    generator = torch.Generator().manual_seed(3)
    e, h, v = SMALL["embedding"], SMALL["state"], SMALL["words"]
    a = 2 * h
    weights = {}

    def add(name, rows, cols, deviation):
        weights[name] = torch.randn(rows, cols, generator=generator) * deviation

    def layer(name, rows, cols):
        add(name + ".W", rows, cols, 0.7 / rows**0.5)
        add(name + ".bias", 1, cols, 0.1)

    def cell(name, rows):
        add(name + ".W", rows, 3 * h, 0.7 / rows**0.5)
        add(name + ".x.bias", 1, 3 * h, 0.1)
        add(name + ".U", h, 3 * h, 0.7 / h**0.5)
        add(name + ".h.bias", 1, 3 * h, 0.1)

    add("source.embedding", SMALL["source"], e, 0.7)
    add("target.embedding", v, e, 0.7)
    for name, rows in (
        ("encoder.forward", e),
        ("encoder.backward", e),
        ("decoder.cell1", e),
        ("decoder.cell2", a),
    ):
        cell(name, rows)
    for name, rows, cols in (
        ("start", a, h),
        ("attention.key", a, a),
        ("attention.query", h, a),
        ("readout.state", h, e),
        ("readout.previous", e, e),
        ("readout.context", a, e),
    ):
        layer(name, rows, cols)
    add("attention.score", 1, a, 2 / a**0.5)
    add("output.Wt", v, e, 2.1 / e**0.5)
    add("output.bias", 1, v, 0.1)
    return weights


class Line:
    """A sentence of IDS.tsv."""

    def __init__(self, text):
        words, *ids = text.rstrip("\n").split("\t")
        self.words = int(words)
        self.source, *targets = ([int(i) for i in part.split()] for part in ids)
        cases = [(precision, beam) for precision in ("float16", "float32") for beam in (1, BEAM)]
        self.targets = dict(zip(cases, targets))


class Work:
    """Input of a measurement: batches of sentences, their number of words and, if known, Latimer's output for each."""

    def __init__(self, data, factor, forbid_end, batches, words, expected):
        self.data = data
        self.factor = factor
        self.forbid_end = forbid_end
        self.batches = batches
        self.words = words
        self.expected = expected


def random_work(search, made, size):
    """Batches of nmt_bench: as many as the sentences fill, at most 16."""
    count = max(1, min(16, len(made) // size))
    batches = [search.Batch(made[b * size : (b + 1) * size], 1) for b in range(count)]
    return Work("random", 1, True, batches, sum(len(ids) - 1 for ids in made[: count * size]), None)


def text_work(search, lines, precision, size, beam):
    """Batches of NmtBench: the lines in order, repeated."""
    count = SINGLE if size == 1 else max(SENTENCES, 2 * size) // size
    chosen = [[lines[(b * size + i) % len(lines)] for i in range(size)] for b in range(count)]
    batches = [search.Batch([line.source for line in some], 3) for some in chosen]
    expected = [[line.targets[precision, beam] for line in some] for some in chosen]
    words = sum(line.words for some in chosen for line in some)
    return Work("model", 3, False, batches, words, expected)


def compare(results, expected):
    """Numbers of sentences with the same words as Latimer's output, and with the same number of words."""
    same = alike = count = 0
    for (said, lengths), sentences_of_batch in zip(results, expected):
        for words, length, theirs in zip(said.tolist(), lengths.tolist(), sentences_of_batch):
            same += words[:length] == theirs
            alike += length == len(theirs)
            count += 1
    return {"same": same, "same_length": alike, "compared": count}


def measure(torch, search, network, way, work, beam, precision, options):
    """Translates all batches repeatedly and prints one line."""

    def make():
        return search.Greedy(network, work.forbid_end) if beam == 1 else search.Beam(network, work.forbid_end, beam)

    if way == "captured":
        translator = search.Captured(make, work.factor)
    else:
        translator = search.Eager(make, way == "dropping")
    times = []
    began = time.perf_counter()
    for run in range(-1, options.runs):
        start = time.perf_counter()
        results = [translator.translate(batch) for batch in work.batches]
        took = time.perf_counter() - start
        if run >= 0:
            times.append(took)
            if time.perf_counter() - began > options.seconds:
                break
    words = [work.words / took for took in times]
    peer.emit(
        op="nmt-peer",
        peer="PyTorch " + torch.__version__.split("+")[0],
        data=work.data,
        way=way,
        precision=precision,
        beam=beam,
        batch=len(work.batches[0]),
        **{name: round(value) for name, value in peer.spread_fields("words_per_s", words).items()},
        runs=len(times),
        **(compare(results, work.expected) if work.expected else {}),
    )


def run(torch, search, options, data, weights, work):
    """Measures all methods in float16 by batch size; a real model also in float32, at one size."""
    cases = [("float16", 1, size) for size in options.greedy] + [("float16", BEAM, size) for size in options.beam]
    if data == "model":
        cases += [("float32", 1, size) for size in options.beam] + [("float32", BEAM, size) for size in options.beam]
    if options.device == "cpu":
        cases = [("float32", beam, size) for precision, beam, size in cases if precision == "float16"]
    networks = {}
    for precision, beam, size in cases:
        if precision not in networks:
            dtype = torch.float16 if precision == "float16" else torch.float32
            networks[precision] = search.Network(weights, options.device, dtype)
        ways = ["eager"] + (["dropping"] if size > 1 else []) + (["captured"] if options.device == "cuda" else [])
        some = work(precision, size, beam)
        for way in ways:
            try:
                with torch.inference_mode():
                    measure(torch, search, networks[precision], way, some, beam, precision, options)
            except RuntimeError as error:  # out of memory, or not capturable
                peer.failed(f"PyTorch {way}, {precision}, beam {beam}, batch {size}", error)


def numbers(text):
    return [int(part) for part in text.split(",") if part]


def main():
    parser = argparse.ArgumentParser(description="Latimer's small GRU in PyTorch")
    parser.add_argument("--ids")
    parser.add_argument("--model")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8, help="start no further run of a case after this time")
    parser.add_argument("--greedy", type=numbers, default=[1, 64, 1024, 4096], help="sizes of batches")
    parser.add_argument("--beam", type=numbers, default=[1024], help="sizes of batches")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    options = parser.parse_args()
    try:
        import torch
    except (ImportError, OSError) as error:
        peer.absent("PyTorch", error)
    if options.device == "cuda" and not torch.cuda.is_available():
        peer.absent("PyTorch", "PyTorch finds no CUDA device")
    torch.backends.cudnn.allow_tf32 = False  # for matrix products it is off by default
    import gru_search as search

    made = sentences.sentences(4096, SMALL["source"])
    weights = random_weights(torch)
    run(torch, search, options, "random", weights, lambda precision, size, beam: random_work(search, made, size))
    if not options.model:
        return

    def array(buffer, kind, rows, cols):
        dtype = torch.float16 if kind == "float16" else torch.float32
        return torch.frombuffer(bytearray(buffer), dtype=dtype).view(rows, cols).float()

    try:
        _, weights = lmx.read(options.model, array)
    except lmx.Unsupported as error:
        peer.absent("PyTorch with " + options.model, error)
    with open(options.ids, encoding="ascii") as file:
        lines = [Line(text) for text in file]
    run(torch, search, options, "model", weights, lambda *case: text_work(search, lines, *case))


if __name__ == "__main__":
    main()
    peer.end()
