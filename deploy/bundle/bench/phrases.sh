# phrases INDEX.lpx TEXT-FILE [OUT-FOLDER]
#   Looks up the phrases of TEXT-FILE, a sentence per line, in a phrase index: with 300 samples and with every occurrence,
#   in batches of 2,000 to 16,000 sentences (SENTENCES), repeated as needed. Kernels, then the operator on GPU and CPU,
#   also one sentence at a time.
[ $# -ge 2 ] || usage
out=${3:-.}
mkdir -p "$out"
sentences=${SENTENCES:-2000,4000,6000,8000,16000}
[ -z "$brief" ] || sentences=${sentences##*,}
keep "$out/phrases-kernels.jsonl" "$here/kernels/phrases_bench" "$1" "$2" --sentences "$sentences" --runs "${RUNS:-9}"
HEAP=${HEAP:-64g} keep "$out/phrases-operator.jsonl" \
  java io.latimer.benchmarks.gpu.PhraseBench "$1" "$2" "1,$sentences" 300,0 "${RUNS:-9}"
