# cyk GRAMMAR[,FILE..] SENTENCES.tsv [OUT-FOLDER] [--trees] [--table2] [--mapping rule|rvs|lvs [--dummy] [--shared] [--texture] [--transfer pageable|pinned|zerocopy]]
#   Checks the sentences of a file, its last column, against a grammar in the text format of rules: as they are, in batches
#   of 1 to 65,536, and cut to 25, 50, 100 and 200 words (SENTENCES and LENGTHS choose others). --trees finds the best
#   trees of a weighted grammar. --table2 measures all strategies of Kim et al.'s table 2 instead, --mapping one of them,
#   against their sequential program. If GRAMMAR is an index (.lgx) and the file has plain sentences, measures the operator
#   on GPU and CPU instead.
[ $# -ge 2 ] || usage
grammar=$1
text=$2
shift 2
out=.
case ${1:-} in
'' | -*) ;;
*)
  out=$1
  shift
  ;;
esac
mkdir -p "$out"
case $grammar,${1:-} in
*.lgx,*)
  operator() {
    for size in $(echo "${SENTENCES:-1,4096,65536}" | tr , ' '); do
      java io.latimer.benchmarks.gpu.GrammarBench "$1" "$2" "${LENGTHS:-0,25,50,100,200}" "$size" "${RUNS:-9}" || return
    done
  }
  keep "$out/cyk-operator.jsonl" operator "$grammar" "$text"
  ;;
*, | *,--trees)
  keep "$out/cyk-kernels.jsonl" "$here/kernels/grammar_bench" "$grammar" "$text" "$@" \
    --sentences "${SENTENCES:-1,64,4096,14968,65536}" --lengths "${LENGTHS:-0,25,50,100,200}" --runs "${RUNS:-9}"
  ;;
*) keep "$out/cyk-strategies.jsonl" "$here/kernels/grammar_bench" "$grammar" "$text" "$@" --runs "${RUNS:-3}" ;;
esac
