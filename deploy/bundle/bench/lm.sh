# lm TRAINING-TEXT TEXT-FILE [OUT-FOLDER] [--peers]
#   Estimates language models from TRAINING-TEXT, in the folder MODELS or a temporary one, and measures scoring TEXT-FILE:
#   kernels, with a plot; then the operator, on the CPU also with a copy of the model in large pages. Peer: KenLM's
#   probing model, if KENLM names the folder of its sources, which are compiled ($CXX or g++), or of its programs.
[ $# -ge 2 ] || usage
out=${3:-.}
mkdir -p "$out"
models=${MODELS:-}
if [ -z "$models" ]; then
  models=$(mktemp -d)
  trap 'rm -rf "$models"' EXIT
fi
HEAP=${HEAP:-64g} java io.latimer.benchmarks.gpu.LmModels "$1" "$models" ${brief:+peers} >"$models/list"
: >"$out/lm-kernels.jsonl"
while read -r model series; do
  batches=
  case $series in *batch*) batches=1000,10000,100000,1000000 ;; esac
  "$here/kernels/lm_bench" "$model" "$2" ${batches:+--batches "$batches"} --runs "${RUNS:-9}" >"$models/lines"
  sed "s/^{/{\"series\": \"$series\", /" "$models/lines" >>"$out/lm-kernels.jsonl"
done <"$models/list"
java io.latimer.benchmarks.gpu.LmPlot "$out/lm-kernels.jsonl" "$out/lm.svg"
grep main "$models/list" >"$models/main"
operators() {
  while read -r model series; do
    (
      export GLIBC_TUNABLES=glibc.malloc.hugetlb=1 # large pages for the copied model
      java io.latimer.benchmarks.gpu.LmBench "$model" "$1" 10 "${RUNS:-9}" ${brief:+text}
    ) || return
  done <"$models/main"
}
keep "$out/lm-operator.jsonl" operators "$2"
if [ -n "$peers" ]; then
  : >"$out/lm-peers.jsonl"
  threads=$(sed -n 's/.*"cpu, \([0-9]*\) threads".*/\1/p' "$out/lm-operator.jsonl" | sort -un | paste -sd, -)
  peer "$out/lm-peers.jsonl" kenlm.py "$models/order5-1in1.arpa" "$2" --repeat 10 --runs "${RUNS:-9}" --threads "$threads"
  table LmPeers "$out/lm-peers.md" "$out/lm-operator.jsonl" "$out/lm-peers.jsonl"
fi
