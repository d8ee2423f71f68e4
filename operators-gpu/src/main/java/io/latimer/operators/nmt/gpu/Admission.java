package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.decode.DecodeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Decides which waiting sentences join a search, and assigns their places. They join in groups, so
 * that the encoder works on many at once: all that wait, or as many as fit when a good share of the
 * search is free or the search is empty.
 */
final class Admission {
  /** The fraction of a search that must be free before sentences join others. */
  private static final int SHARE = 8;

  /** Sentences that share a range of tokens. */
  private static final int BLOCK = 64;

  private final SearchCapacity capacity;
  private final DecodeOptions options;
  private final int[] places;
  private int freePlaces;
  private final RangeAllocator tokens;
  private final RangeAllocator weights;

  Admission(SearchCapacity capacity, DecodeOptions options) {
    this.capacity = capacity;
    this.options = options;
    this.places = new int[capacity.sentences()];
    Arrays.setAll(places, i -> places.length - 1 - i);
    this.freePlaces = places.length;
    this.tokens = new RangeAllocator(capacity.tokens());
    this.weights = new RangeAllocator(capacity.weights());
  }

  /** Whether the search is empty. */
  boolean isEmpty() {
    return freePlaces == places.length;
  }

  /**
   * Takes the next sentences from the queue. Order is preserved: no sentence overtakes another.
   *
   * @return longest first, each with its places; empty if they should wait, or if the first does
   *     not fit even an empty search
   */
  List<GpuSentence> next(Deque<GpuSentence> waiting) {
    if (waiting.isEmpty() || !isWorthwhile(waiting.size())) {
      return List.of();
    }
    List<GpuSentence> group = new ArrayList<>();
    int most = Math.min(freePlaces, capacity.joinSentences());
    int mostTokens = capacity.joinTokens();
    while (group.size() < most) {
      List<GpuSentence> block = block(waiting, Math.min(BLOCK, most - group.size()), mostTokens);
      mostTokens -= place(block);
      if (block.isEmpty()) {
        break;
      }
      group.addAll(block);
      block.forEach(sentence -> waiting.removeFirst());
    }
    group.sort(Comparator.comparingInt(GpuSentence::length).reversed());
    return group;
  }

  private boolean isWorthwhile(int waiting) {
    if (isEmpty()) {
      return true;
    }
    int wanted = Math.min(waiting, Math.max(1, places.length / SHARE));
    return freePlaces >= wanted
        && tokens.free() * SHARE >= tokens.size()
        && weights.free() * SHARE >= weights.size();
  }

  /** The first waiting sentences that may join together. */
  private List<GpuSentence> block(Deque<GpuSentence> waiting, int most, int mostTokens) {
    List<GpuSentence> block = new ArrayList<>(most);
    long total = 0;
    for (GpuSentence sentence : waiting) {
      total += sentence.length();
      if (block.size() == most
          || total > mostTokens
          || !capacity.holds(options, sentence.length())) {
        break;
      }
      block.add(sentence);
    }
    return block;
  }

  /**
   * Assigns places to sentences; if there is no range for all, to the first of them.
   *
   * @param block loses the sentences without places
   * @return the number of tokens of the remaining ones
   */
  private int place(List<GpuSentence> block) {
    while (!block.isEmpty()) {
      long tokensWanted = 0;
      long weightsWanted = 0;
      for (GpuSentence sentence : block) {
        tokensWanted += sentence.length();
        weightsWanted += SearchCapacity.weights(options, sentence.length());
      }
      long firstToken = tokens.allocate(tokensWanted);
      if (firstToken != RangeAllocator.NONE) {
        long firstWeight = weights.allocate(weightsWanted);
        if (firstWeight != RangeAllocator.NONE) {
          place(
              block,
              new SentenceBlock(
                  firstToken, tokensWanted, firstWeight, weightsWanted, block.size()));
          return (int) tokensWanted;
        }
        tokens.free(firstToken, tokensWanted);
      }
      block.subList(block.size() / 2, block.size()).clear();
    }
    return 0;
  }

  private void place(List<GpuSentence> sentences, SentenceBlock block) {
    long token = block.firstToken;
    long weight = block.firstWeight;
    for (GpuSentence sentence : sentences) {
      sentence.place = places[--freePlaces];
      sentence.firstToken = (int) token;
      sentence.firstWeight = weight;
      sentence.block = block;
      token += sentence.length();
      weight += SearchCapacity.weights(options, sentence.length());
    }
  }

  /** Frees the places of a sentence that has left the search. */
  void leave(GpuSentence sentence) {
    places[freePlaces++] = sentence.place;
    SentenceBlock block = sentence.block;
    sentence.block = null;
    block.sentences--;
    if (block.sentences == 0) {
      tokens.free(block.firstToken, block.tokens);
      weights.free(block.firstWeight, block.weights);
    }
  }
}
