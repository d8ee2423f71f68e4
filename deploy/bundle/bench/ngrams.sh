# ngrams TEXT-FILE [OUT-FOLDER] [--peers]
#   Counting n-grams: each strategy by order and size of text, with a plot; then the operator. Variables: MB, ORDERS,
#   WORD_ORDERS (orders for words). Peer: CuPy, with the paper's V1 and V2 and with sorting.
[ $# -ge 1 ] || usage
out=${2:-.}
mkdir -p "$out"
mb=${MB:-1,8,64,498,1000}
operator_mb=${MB:-1,64,498}
if [ -n "$brief" ]; then
  mb=${MB:-498}
  operator_mb=$mb
fi
orders=${ORDERS:-1,2,3,4,5,6,7,8}
word_orders=${WORD_ORDERS:-1,2,3,5}
"$here/kernels/ngram_bench" "$1" --mb "$mb" --orders "$orders" --strategies v1,v2,shared,sort,hash \
  --runs "${RUNS:-9}" >"$out/ngrams-kernels.jsonl"
java io.latimer.benchmarks.gpu.NgramPlot "$out/ngrams-kernels.jsonl" "$out/ngrams.svg"
operators() {
  java io.latimer.benchmarks.gpu.NgramBench "$1" gpu:0 "$operator_mb" "$orders" "${RUNS:-9}" &&
    java io.latimer.benchmarks.gpu.NgramBench "$1" gpu:0 "${operator_mb##*,}" "$word_orders" "${RUNS:-9}" words
}
keep "$out/ngrams-operator.jsonl" operators "$1"
if [ -n "$peers" ]; then
  : >"$out/ngrams-peers.jsonl"
  peer "$out/ngrams-peers.jsonl" ngrams_cupy.py "$1" --mb "${operator_mb##*,}" --orders "$orders" --runs "${RUNS:-9}"
  table NgramPeers "$out/ngrams-peers.md" "$out/ngrams-kernels.jsonl" "$out/ngrams-operator.jsonl" "$out/ngrams-peers.jsonl"
fi
