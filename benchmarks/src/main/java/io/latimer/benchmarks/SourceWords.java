package io.latimer.benchmarks;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Number of source words that a thread of a benchmark decoded. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class SourceWords {
  public long words;
}
