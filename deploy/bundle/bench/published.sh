# published FOLDER IDS MAX-LENGTH-FACTOR [OUT-FOLDER] [--peers]
#   A model of the Marian kind as Hugging Face publishes it, from ids to ids in float16: greedy search and a beam of 4. IDS
#   has the ids of a sentence per line. Peer: generate of Hugging Face's transformers.
[ $# -ge 3 ] || usage
out=${4:-.}
mkdir -p "$out"
keep "$out/published.jsonl" java io.latimer.benchmarks.gpu.PublishedBench "$1" "$2" "$3" gpu:0 "${RUNS:-5}"
if [ -n "$peers" ]; then
  : >"$out/published-peers.jsonl"
  peer "$out/published-peers.jsonl" published_transformers.py "$1" "$2" "$3" --runs "${RUNS:-3}"
  cat "$out/published-peers.jsonl"
  [ -z "$peers_failed" ] || exit 1
fi
