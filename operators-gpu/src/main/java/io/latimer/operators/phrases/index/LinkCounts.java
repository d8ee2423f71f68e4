package io.latimer.operators.phrases.index;

/**
 * How often each source word is linked to each target word. A word that is not aligned counts as
 * linked once to nothing, which has the id {@link PhraseSections#END}.
 */
final class LinkCounts extends PairCounts {
  void add(SentencePair pair) {
    boolean[] linked = new boolean[pair.targetWords()];
    int before = -1;
    for (int link = 0; link < pair.links(); link++) {
      int from = pair.sourcePlace(link);
      int to = pair.targetPlace(link);
      addUnaligned(pair, before + 1, from);
      add(pair.source(from), pair.target(to), 1);
      linked[to] = true;
      before = from;
    }
    addUnaligned(pair, before + 1, pair.sourceWords());
    for (int place = 0; place < linked.length; place++) {
      if (!linked[place]) {
        add(PhraseSections.END, pair.target(place), 1);
      }
    }
  }

  private void addUnaligned(SentencePair pair, int from, int to) {
    for (int place = from; place < to; place++) {
      add(pair.source(place), PhraseSections.END, 1);
    }
  }
}
