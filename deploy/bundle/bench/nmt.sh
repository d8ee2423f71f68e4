# nmt MODEL.lmx TEXT-FILE [OUT-FOLDER] [--peers]
#   Translation by batch size: kernels with random weights, with a plot; then ids to ids and text to text. Peer: a GRU in
#   PyTorch (eager, removing finished sentences, a CUDA graph), with random weights and with the model's.
[ $# -ge 2 ] || usage
out=${3:-.}
mkdir -p "$out"
# With random weights: by batch size and kind of model, then without each of the paper's ideas.
kernels() { "$here/kernels/nmt_bench" --repeats "${RUNS:-5}" "$@" >>"$out/nmt-kernels.jsonl"; }
: >"$out/nmt-kernels.jsonl"
if [ -n "$brief" ]; then
  kernels small --beam 1 --beam 5
else
  kernels small large transformer --beam 1 --beam 5
  kernels small large transformer --precision bfloat16 --beam 1 --beam 5 --batch 256 --batch 1024 --batch 4096
  batches="--batch 1 --batch 16 --batch 64 --batch 256 --batch 1024 --batch 4096"
  kernels narrow $batches --beam 1 --without rows --without fusing --without graphs
  kernels narrow $batches --beam 1 --precision float32
  kernels narrow --batch 4096 --beam 1 --beam 5 --places 1024
  kernels narrow --batch 256 --beam 1 --beam 3 --beam 9 --precision float16 --precision float32 --without fusing \
    --without epilogue
  kernels narrow --batch 1024 --beam 5 --trace --without rows
  "$here/kernels/nmt_bench" --repeats "${RUNS:-5}" large transformer --beam 1 --beam 5 --batch 1 --batch 64 --batch 256 \
    --batch 1024 --shortlist 100 >"$out/nmt-shortlist.jsonl"
fi
java io.latimer.benchmarks.gpu.NmtPlot "$out/nmt-kernels.jsonl" "$out/nmt.svg"
keep "$out/nmt-operator.jsonl" java io.latimer.benchmarks.gpu.NmtBench "$1" "$2" gpu:0 "${RUNS:-5}" ${brief:+ids}
java io.latimer.benchmarks.gpu.NmtTable "$out/nmt-operator.jsonl" "$out/nmt-operator.md"
if [ -n "$peers" ]; then
  : >"$out/nmt-peers.jsonl"
  java io.latimer.benchmarks.gpu.NmtIds "$1" "$2" gpu:0 "$out/nmt-ids.tsv"
  peer "$out/nmt-peers.jsonl" nmt_pytorch.py --model "$1" --ids "$out/nmt-ids.tsv" --runs "${RUNS:-5}"
  table NmtPeers "$out/nmt-peers.md" "$out/nmt-kernels.jsonl" "$out/nmt-operator.jsonl" "$out/nmt-peers.jsonl"
fi
