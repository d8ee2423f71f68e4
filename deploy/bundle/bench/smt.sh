# smt INDEX.lpx LM.llm TEXT-FILE REFERENCE-FILE [OUT-FOLDER]
#   Translates TEXT-FILE, a tokenized sentence per line, by phrases: on the CPU, with the phrases on the GPU, and with
#   phrases and language model there; with 300 samples and with every occurrence; for several sizes of stacks (STACKS),
#   in batches of 1,024 sentences (BATCH), with the weights of a file (WEIGHTS). Prints BLEU and the time of each part.
[ $# -ge 4 ] || usage
out=${5:-.}
mkdir -p "$out"
devices=cpu/cpu,gpu/cpu,gpu/gpu
[ -z "$brief" ] || devices=gpu/gpu
HEAP=${HEAP:-64g} keep "$out/smt.jsonl" java io.latimer.benchmarks.gpu.SmtBench "$1" "$2" "$3" "$4" \
  "${WEIGHTS:-default}" "${DEVICES:-$devices}" 300,0 "${STACKS:-20/100/20,100/500/20,400/2000/20}" "${BATCH:-1024}" \
  "${RUNS:-5}"
