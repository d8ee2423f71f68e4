package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.decode.DecodeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Says which of the waiting sentences join a search, and where in it they lie. They join in groups,
 * so that the encoder works on many at once: all that there are, or as many as fit when a good
 * share of the search is free, or when nothing is in it.
 */
final class Admission {
  /** The part of a search that is free before sentences join those that are there. */
  private static final int SHARE = 8;

  /** Sentences that share a range of tokens. */
  private static final int BLOCK = 64;

  private final SearchRoom room;
  private final DecodeOptions options;
  private final int[] places;
  private int freePlaces;
  private final RangeAllocator tokens;
  private final RangeAllocator weights;

  Admission(SearchRoom room, DecodeOptions options) {
    this.room = room;
    this.options = options;
    this.places = new int[room.sentences()];
    Arrays.setAll(places, i -> places.length - 1 - i);
    this.freePlaces = places.length;
    this.tokens = new RangeAllocator(room.tokens());
    this.weights = new RangeAllocator(room.weights());
  }

  /** Whether no sentence is in the search. */
  boolean isEmpty() {
    return freePlaces == places.length;
  }

  /**
   * Takes those who join next from the line of the waiting. No sentence passes one before it.
   *
   * @return longest first, each with its places; nobody if they had better wait, or if the first
   *     does not fit the search even alone
   */
  List<GpuSentence> next(Deque<GpuSentence> waiting) {
    if (waiting.isEmpty() || !isWorthwhile(waiting.size())) {
      return List.of();
    }
    List<GpuSentence> group = new ArrayList<>();
    int most = Math.min(freePlaces, room.joinSentences());
    int mostTokens = room.joinTokens();
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

  /** The first of the waiting that may join together. */
  private List<GpuSentence> block(Deque<GpuSentence> waiting, int most, int mostTokens) {
    List<GpuSentence> block = new ArrayList<>(most);
    long total = 0;
    for (GpuSentence sentence : waiting) {
      total += sentence.length();
      if (block.size() == most || total > mostTokens || !room.holds(options, sentence.length())) {
        break;
      }
      block.add(sentence);
    }
    return block;
  }

  /**
   * Gives sentences their places; where there is no range for all of them, for the first of them.
   *
   * @param block loses those for whom there is none
   * @return the tokens of those who stay
   */
  private int place(List<GpuSentence> block) {
    while (!block.isEmpty()) {
      long tokensWanted = 0;
      long weightsWanted = 0;
      for (GpuSentence sentence : block) {
        tokensWanted += sentence.length();
        weightsWanted += SearchRoom.weights(options, sentence.length());
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
      weight += SearchRoom.weights(options, sentence.length());
    }
  }

  /** Gives the places of a sentence back that has left the search. */
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
