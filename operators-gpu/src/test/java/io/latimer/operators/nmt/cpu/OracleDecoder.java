package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.model.BeamRule;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.Shortlist;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The search written as plainly as the rules of {@link Decode} stand there: one sentence at a time,
 * over a network that is as plain. Slow.
 */
public final class OracleDecoder {
  /** A hypothesis, and how close its choice was. */
  public record Entry(
      List<Integer> ids, double score, double normalized, List<double[]> attention) {}

  private record Live(
      List<Integer> ids, double score, OracleNetwork.State state, List<double[]> attention) {}

  private record Candidate(int row, int id, double score) {}

  private final OracleNetwork network;
  private final Network model;

  /** The smallest difference on which a choice of the last search hung. */
  public double margin;

  public OracleDecoder(Network model) {
    this.model = model;
    network =
        model.settings() instanceof RnnSettings
            ? new OracleRnn(model)
            : new OracleTransformer(model);
  }

  /** What the rules of {@link Shortlist} let a sentence say; null for everything. */
  private Set<Integer> sayable(int[] source) {
    if (model.shortlist().isEmpty()) {
      return null;
    }
    Shortlist shortlist = model.shortlist().get();
    Set<Integer> words = new HashSet<>();
    for (int id = 0; id < shortlist.first(); id++) {
      words.add(id);
    }
    for (int word : source) {
      for (int at = shortlist.starts().get(word); at < shortlist.starts().get(word + 1); at++) {
        words.add(shortlist.table().get(at));
      }
      if (shortlist.ownWords()) {
        words.add(word);
      }
    }
    return words;
  }

  /** The softmax as it is where all other words have a logit of minus infinity. */
  private static void keep(Set<Integer> sayable, double[] logProbability) {
    double sum = 0;
    for (int id : sayable) {
      sum += Math.exp(logProbability[id]);
    }
    for (int id = 0; id < logProbability.length; id++) {
      logProbability[id] -= Math.log(sum);
    }
  }

  /** Whether the last 16 ids, or three times as many as are repeated, repeat up to 16. */
  private static boolean loopsAtEnd(List<Integer> ids) {
    for (int period = 1; period <= 16; period++) {
      int n = Math.max(16, 3 * period);
      if (n <= ids.size()) {
        List<Integer> tail = ids.subList(ids.size() - n, ids.size());
        if (tail.subList(period, n).equals(tail.subList(0, n - period))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean loopsAnywhere(List<Integer> ids) {
    return IntStream.rangeClosed(1, ids.size()).anyMatch(n -> loopsAtEnd(ids.subList(0, n)));
  }

  private static boolean loopsAnywhere(DecodeInput input) {
    return loopsAnywhere(Arrays.stream(input.ids()).boxed().toList())
        || loopsAnywhere(Arrays.stream(input.prefix()).boxed().toList());
  }

  public List<Entry> search(DecodeInput input, DecodeOptions options) {
    int[] source = input.ids();
    margin = Double.MAX_VALUE;
    List<Live> live = new ArrayList<>();
    live.add(new Live(List.of(), 0, network.start(source), List.of()));
    List<Entry> finished = new ArrayList<>();
    boolean given = options.has(DecodeOptions.Switch.GIVEN);
    boolean endsLoops = options.has(DecodeOptions.Switch.END_LOOPS) && !loopsAnywhere(input);
    int limit =
        given
            ? input.prefix().length
            : (int) Math.ceil(options.maxLengthFactor() * (double) source.length);
    int beam = options.beamSize();
    BeamRule rule = beam == 1 ? BeamRule.SHRINK : model.settings().search().rule();
    Set<Integer> sayable = options.shortlist() ? sayable(source) : null;
    for (int length = 1; !live.isEmpty(); length++) {
      boolean prefixed = length <= input.prefix().length;
      List<Live> after = new ArrayList<>();
      List<Candidate> candidates = new ArrayList<>();
      for (int row = 0; row < live.size(); row++) {
        List<Integer> ids = live.get(row).ids;
        double[] attention = new double[source.length];
        OracleNetwork.Step step =
            network.step(
                ids.isEmpty() ? -1 : ids.get(ids.size() - 1), live.get(row).state, attention);
        double[] logProbability = step.logProbability;
        if (sayable != null) {
          keep(sayable, logProbability);
        }
        after.add(new Live(ids, live.get(row).score, step.state, List.of(attention)));
        if (prefixed) {
          int word = input.prefix()[length - 1];
          double score = live.get(row).score + (given ? logProbability[word] : 0);
          candidates.add(new Candidate(row, word, score));
          continue;
        }
        for (int id = 0; id < logProbability.length; id++) {
          boolean unlisted = sayable != null && !sayable.contains(id);
          if (!unlisted && (id != Decode.UNKNOWN || options.allowUnknown())) {
            candidates.add(new Candidate(row, id, live.get(row).score + logProbability[id]));
          }
        }
      }
      candidates.sort(
          Comparator.comparingDouble((Candidate c) -> -c.score)
              .thenComparingInt(c -> c.row)
              .thenComparingInt(c -> c.id));
      boolean last = length >= limit;
      if (endsLoops && !prefixed && length > 1 && (length - 1) % 16 == 0) {
        Set<Integer> looping = new HashSet<>();
        for (int row = 0; row < live.size(); row++) {
          if (loopsAtEnd(live.get(row).ids)) {
            looping.add(row);
          }
        }
        if (looping.size() == live.size() && finished.isEmpty()) {
          last = true;
        } else {
          candidates.removeIf(c -> looping.contains(c.row));
        }
      }
      List<Live> next = new ArrayList<>();
      for (int k = 0; k < candidates.size(); k++) {
        boolean refills = rule != BeamRule.SHRINK && !last;
        if (refills ? next.size() == beam : k == beam) {
          break;
        }
        Candidate c = candidates.get(k);
        if (k + 1 < candidates.size()) {
          margin = Math.min(margin, c.score - candidates.get(k + 1).score);
        }
        boolean ends = last || (c.id == Decode.END && !prefixed);
        if (ends && k >= beam) {
          continue;
        }
        Live parent = after.get(c.row);
        List<Integer> ids = new ArrayList<>(parent.ids);
        ids.add(c.id);
        List<double[]> attention = new ArrayList<>(live.get(c.row).attention);
        attention.addAll(parent.attention);
        if (ends) {
          double normalized = c.score / Math.pow(length, options.lengthNormalization());
          finished.add(new Entry(ids, c.score, normalized, attention));
        } else {
          next.add(new Live(ids, c.score, parent.state, attention));
        }
      }
      live = next;
      if (rule == BeamRule.SHRINK) {
        beam = options.beamSize() - finished.size();
        continue;
      }
      finished.sort(Comparator.comparingDouble((Entry e) -> -e.normalized));
      while (finished.size() > beam) {
        Entry dropped = finished.remove(finished.size() - 1);
        margin = Math.min(margin, finished.get(beam - 1).normalized - dropped.normalized);
      }
      if (finished.size() == beam && !next.isEmpty()) {
        double best = next.get(0).score / Math.pow(length, options.lengthNormalization());
        double worst = finished.get(beam - 1).normalized;
        if (rule == BeamRule.BEST_ENDED) {
          margin = Math.min(margin, Math.abs(best - worst));
        }
        live = rule == BeamRule.FIRST_ENDED || best <= worst ? List.of() : next;
      }
    }
    finished.sort(
        Comparator.comparing((Entry e) -> endsLoops && loopsAnywhere(e.ids))
            .thenComparing((Entry e) -> -e.normalized));
    for (int i = 0; i + 1 < finished.size(); i++) {
      margin = Math.min(margin, finished.get(i).normalized - finished.get(i + 1).normalized);
    }
    return finished.subList(0, Math.min(options.nBest(), finished.size()));
  }
}
