package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.RnnSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final RnnSettings NETWORK =
      RnnSettings.plain(10, 10, 2, 2, 2, CellKind.GRU, LayerNormalization.NONE);

  private static final DecodeOptions PLAIN = DecodeOptions.beam(2);
  private static final DecodeOptions ALIGNED = PLAIN.withAlignment(true);

  private static Deque<GpuSentence> line(int... lengths) {
    List<int[]> batch = new ArrayList<>();
    for (int length : lengths) {
      int[] ids = new int[length];
      Arrays.fill(ids, 0, length - 1, 2);
      batch.add(ids);
    }
    return new ArrayDeque<>(new GpuCall(DecodeInput.all(batch), NETWORK, PLAIN).sentences());
  }

  private static List<Integer> lengths(List<GpuSentence> group) {
    return group.stream().map(GpuSentence::length).toList();
  }

  @Test
  void aCallWaitsInLineLongestFirst() {
    assertThat(lengths(new ArrayList<>(line(3, 9, 5, 9, 2)))).containsExactly(9, 9, 5, 3, 2);
  }

  @Test
  void allWhoFitJoinAnEmptySearch() {
    Admission admission = new Admission(new SearchCapacity(8, 40, 8, 40, 20, 0), PLAIN);
    Deque<GpuSentence> waiting = line(3, 9, 5);
    List<GpuSentence> group = admission.next(waiting);
    assertThat(lengths(group)).containsExactly(9, 5, 3);
    assertThat(waiting).isEmpty();
    assertThat(group).extracting(s -> s.place).doesNotHaveDuplicates();
    assertThat(group).extracting(s -> s.firstToken).containsExactly(0, 9, 14);
    group.forEach(admission::leave);
    assertThat(admission.isEmpty()).isTrue();
  }

  @Test
  void noMoreJoinAtOnceThanTheSearchAllows() {
    Admission admission = new Admission(new SearchCapacity(8, 100, 3, 20, 20, 0), PLAIN);
    Deque<GpuSentence> waiting = line(4, 4, 4, 4, 18, 18);
    assertThat(lengths(admission.next(waiting))).containsExactly(18);
    assertThat(lengths(admission.next(waiting))).containsExactly(18);
    assertThat(lengths(admission.next(waiting))).containsExactly(4, 4, 4);
    assertThat(lengths(admission.next(waiting))).containsExactly(4);
    assertThat(admission.next(waiting)).isEmpty();
  }

  @Test
  void thoseWhoComeLaterWaitUntilAGoodShareIsFree() {
    Admission admission = new Admission(new SearchCapacity(16, 160, 16, 160, 10, 0), PLAIN);
    int[] many = new int[40];
    Arrays.fill(many, 5);
    Deque<GpuSentence> waiting = line(many);
    List<GpuSentence> first = admission.next(waiting);
    assertThat(first).hasSize(16);
    admission.leave(first.get(0));
    assertThat(admission.next(waiting)).as("one of 16 is free").isEmpty();
    admission.leave(first.get(1));
    assertThat(admission.next(waiting)).as("two of 16 are free").hasSize(2);
    // of few who wait, none waits for more room than they need
    while (waiting.size() > 1) {
      waiting.remove();
    }
    admission.leave(first.get(2));
    assertThat(admission.next(waiting)).hasSize(1);
  }

  @Test
  void aSentenceThatDoesNotFitIsPassedByNobody() {
    Admission admission = new Admission(new SearchCapacity(8, 40, 8, 40, 10, 0), PLAIN);
    Deque<GpuSentence> waiting = line(3, 11);
    assertThat(admission.next(waiting)).isEmpty();
    assertThat(waiting).hasSize(2);
    waiting.remove();
    assertThat(lengths(admission.next(waiting))).containsExactly(3);
  }

  @Test
  void attentionTakesPlacesToo() {
    long one = SearchCapacity.weights(ALIGNED, 10); // 30 words, 2 hypotheses, 10 source tokens
    assertThat(one).isEqualTo(600);
    Admission admission = new Admission(new SearchCapacity(8, 80, 8, 80, 10, 2 * one), ALIGNED);
    Deque<GpuSentence> waiting = line(10, 10, 10);
    List<GpuSentence> group = admission.next(waiting);
    assertThat(group).extracting(s -> s.firstWeight).containsExactly(0L, one);
    assertThat(admission.next(waiting)).isEmpty();
    admission.leave(group.get(0));
    admission.leave(group.get(1));
    assertThat(admission.next(waiting)).extracting(s -> s.firstWeight).containsExactly(0L);
  }

  @Test
  void nobodySharesPlacesAndAllAreServed() {
    Random random = new Random(4);
    for (DecodeOptions options : List.of(PLAIN, ALIGNED)) {
      SearchCapacity capacity =
          new SearchCapacity(64, 700, 32, 300, 50, options.alignment() ? 40_000 : 0);
      Admission admission = new Admission(capacity, options);
      int[] lengths = random.ints(3000, 2, 41).toArray();
      Deque<GpuSentence> waiting = line(lengths);
      List<GpuSentence> there = new ArrayList<>();
      int served = 0;
      while (served < lengths.length) {
        List<GpuSentence> group = admission.next(waiting);
        assertThat(group).isSortedAccordingTo(Comparator.comparing(s -> -s.length()));
        assertThat(group.size()).isLessThanOrEqualTo(32);
        assertThat(lengths(group).stream().mapToInt(n -> n).sum()).isLessThanOrEqualTo(300);
        assertThat(there.isEmpty() && group.isEmpty()).as("somebody moves").isFalse();
        there.addAll(group);
        assertDisjoint(there, capacity, options);
        int leaving = Math.min(there.size(), 1 + random.nextInt(20));
        for (int i = 0; i < leaving; i++) {
          admission.leave(there.remove(random.nextInt(there.size())));
          served++;
        }
      }
      assertThat(admission.isEmpty()).isTrue();
    }
  }

  private static void assertDisjoint(
      List<GpuSentence> there, SearchCapacity capacity, DecodeOptions options) {
    assertThat(there).extracting(s -> s.place).doesNotHaveDuplicates();
    assertThat(there).allMatch(s -> s.place >= 0 && s.place < capacity.sentences());
    List<GpuSentence> byToken = new ArrayList<>(there);
    byToken.sort(Comparator.comparingInt(s -> s.firstToken));
    int token = 0;
    for (GpuSentence sentence : byToken) {
      assertThat(sentence.firstToken).isGreaterThanOrEqualTo(token);
      token = sentence.firstToken + sentence.length();
    }
    assertThat(token).isLessThanOrEqualTo(capacity.tokens());
    List<GpuSentence> byWeight = new ArrayList<>(there);
    byWeight.sort(Comparator.comparingLong(s -> s.firstWeight));
    long weight = 0;
    for (GpuSentence sentence : byWeight) {
      assertThat(sentence.firstWeight).isGreaterThanOrEqualTo(weight);
      weight = sentence.firstWeight + SearchCapacity.weights(options, sentence.length());
    }
    assertThat(weight).isLessThanOrEqualTo(capacity.weights());
  }
}
