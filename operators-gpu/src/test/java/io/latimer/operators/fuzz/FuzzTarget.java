package io.latimer.operators.fuzz;

import java.util.List;
import java.util.Random;

/**
 * A reader of untrusted bytes, and what it may do with them.
 *
 * @param name unique; part of what an input is made from
 * @param weight inputs of this target for each round
 * @param inputs makes an input; the same for the same state of the generator
 * @param reader reads an input as the program does
 * @param documented the exceptions that the reader may throw
 */
public record FuzzTarget(
    String name,
    int weight,
    Inputs inputs,
    Reader reader,
    List<Class<? extends Exception>> documented) {

  /** Makes inputs. */
  @FunctionalInterface
  public interface Inputs {
    byte[] next(Random random) throws Exception;
  }

  /** Reads an input. */
  @FunctionalInterface
  public interface Reader {
    void read(byte[] input) throws Exception;
  }

  boolean allows(Throwable thrown) {
    return documented.stream().anyMatch(type -> type.isInstance(thrown));
  }
}
