"""
A published model of the Marian kind with Hugging Face's `generate` in float16: greedy search and a beam of 4.

  published_transformers.py FOLDER IDS MAX-LENGTH-FACTOR [--runs 3] [--device cuda]
  published_transformers.py --make FOLDER TOKENIZER-FOLDER IDS

The first form measures FOLDER on a file with the ids of a sentence per line, as PublishedBench does, and prints one
JSON object per line: source and target tokens per second, ends included, and sentences per second, the median of the
runs after a warm-up. Batches are taken in the file's order, so sort it by length. If all sentences have one length and
the model's words are random, no translation ends early, and both engines do the same work.

The second form makes a model of OPUS-MT's base shape (6 + 6 layers, width 512, 8 heads, feed-forward 2,048) with random
weights in float16 and another folder's tokenizer, and 4,096 sentences of 20 random ids.
"""

import argparse
import json
import pathlib
import random
import shutil
import time

import peer

BATCHES = (1, 64, 256, 1024)
SENTENCES = 4096
SINGLE = 20


def make(folder, tokenizer, ids):
    import torch
    import transformers

    torch.manual_seed(5)
    folder, tokenizer = pathlib.Path(folder), pathlib.Path(tokenizer)
    config = transformers.MarianConfig(**json.loads((tokenizer / "config.json").read_text()))
    config.init_std = 0.05
    model = transformers.MarianMTModel(config).half()
    model.save_pretrained(folder)
    for name in ("source.spm", "target.spm", "vocab.json", "tokenizer_config.json"):
        shutil.copy(tokenizer / name, folder / name)
    draw = random.Random(7)
    with open(ids, "w") as out:
        for _ in range(4096):
            words = [draw.randrange(2, config.vocab_size - 1) for _ in range(19)]
            out.write(" ".join(map(str, words + [config.eos_token_id])) + "\n")


def measure(folder, ids, factor, runs, device):
    import torch
    import transformers

    model = transformers.MarianMTModel.from_pretrained(folder, dtype=torch.float16).to(device).eval()
    pad = model.config.pad_token_id
    lines = [list(map(int, line.split())) for line in open(ids)]
    for beam in (1, 4):
        for batch in BATCHES:
            count = SINGLE if batch == 1 else max(SENTENCES, 2 * batch)
            batches = []
            for start in range(0, count, batch):
                rows = [lines[(start + i) % len(lines)] for i in range(batch)]
                width = max(map(len, rows))
                table = torch.full((batch, width), pad)
                for row, line in enumerate(rows):
                    table[row, : len(line)] = torch.tensor(line)
                batches.append(table.to(device))
            source = sum(int((table != pad).sum()) for table in batches)
            target = 0

            def run():
                nonlocal target
                target = 0
                for table in batches:
                    with torch.inference_mode():
                        out = model.generate(
                            input_ids=table,
                            attention_mask=(table != pad).long(),
                            num_beams=beam,
                            do_sample=False,
                            max_new_tokens=int(factor * table.shape[1] + 0.5),
                            forced_eos_token_id=None,
                        )
                    target += int((out[:, 1:] != pad).sum())
                torch.cuda.synchronize()

            whole, batches = batches, batches[:2]
            run()  # to warm up
            batches = whole
            seconds = []
            for _ in range(runs):
                began = time.perf_counter()
                run()
                seconds.append(time.perf_counter() - began)
            peer.emit(
                op="published",
                engine=f"transformers {transformers.__version__}, torch {torch.__version__}",
                precision="float16",
                beam=beam,
                batch=batch,
                **peer.spread_fields("source_tokens_per_s", [source / took for took in seconds]),
                target_tokens_per_s=target / peer.spread(seconds)[0],
                sentences_per_s=batch * len(batches) / peer.spread(seconds)[0],
                runs=runs,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    try:
        import torch, transformers  # noqa: E401, F401
    except ImportError as e:
        peer.absent("transformers", e)
    if len(given.paths) != 3:
        parser.error("expected three arguments")
    if given.make:
        make(*given.paths)
    else:
        measure(given.paths[0], given.paths[1], float(given.paths[2]), given.runs, given.device)


if __name__ == "__main__":
    main()
