# smt INDEX.lpx LM.llm TEXT-FILE REFERENCE-FILE [OUT-FOLDER]
#   Measures the kernel of the search on random sentences. Then translates TEXT-FILE, a tokenized sentence per line, by
#   phrases: on the CPU, with the phrases on the GPU, with phrases and language model there but the search on the host's
#   cores (gpu/gpu/cpu), and with all on the GPU (gpu/gpu); with 300 samples and with every occurrence; for several sizes
#   of stacks (STACKS), in batches of 1,024 sentences (BATCH), with the weights of a file (WEIGHTS). Prints BLEU and the
#   time of each part.
[ $# -ge 4 ] || usage
out=${5:-.}
mkdir -p "$out"
devices=cpu/cpu,gpu/cpu,gpu/gpu/cpu,gpu/gpu
[ -z "$brief" ] || devices=gpu/gpu/cpu,gpu/gpu
keep "$out/smt-kernels.jsonl" "$here/kernels/smt_bench" --runs "${RUNS:-5}"
HEAP=${HEAP:-64g} keep "$out/smt.jsonl" java io.latimer.benchmarks.gpu.SmtBench "$1" "$2" "$3" "$4" \
  "${WEIGHTS:-default}" "${DEVICES:-$devices}" 300,0 "${STACKS:-10/50/20,20/100/20,100/500/20}" "${BATCH:-1024}" \
  "${RUNS:-5}"
