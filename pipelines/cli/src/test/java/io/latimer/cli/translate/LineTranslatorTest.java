package io.latimer.cli.translate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.cli.Run;
import io.latimer.cli.command.CommandException;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.Translated;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines through an operator that writes capitals and refuses a line that holds "bad". */
@Timeout(60) // a hang is a failure
final class LineTranslatorTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private static class Capitals implements BatchOperator<String, Translated> {
    private final int inFlight;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    Capitals(int inFlight) {
      this.inFlight = inFlight;
    }

    @Override
    public List<Result<Translated>> apply(List<String> batch) {
      most.accumulateAndGet(calls.incrementAndGet(), Math::max);
      List<Result<Translated>> results = new ArrayList<>();
      for (String line : batch) {
        results.add(
            line.contains("bad")
                ? Result.failure(new RecordException("too " + line))
                : Result.of(translated(line.toUpperCase(Locale.ROOT))));
      }
      calls.decrementAndGet();
      return results;
    }

    private static Translated translated(String text) {
      Translated.Timings timings = new Translated.Timings(0, 0, 0);
      return new Translated(
          text,
          "de",
          0,
          0,
          List.of(),
          List.of(),
          timings,
          1,
          1,
          0,
          List.of(),
          List.of(),
          Set.of(),
          OptionalDouble.empty(),
          Optional.empty());
    }

    @Override
    public int inFlight() {
      return inFlight;
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }

  private long translate(Capitals operator, int batch, InputStream in) throws InterruptedException {
    Terminal terminal = Run.terminal(in, out, err);
    OutputFormat format = new OutputFormat(false, false, false, false, false);
    Progress progress = new Progress(terminal, false, 0, System::nanoTime);
    return new LineTranslator(operator, batch, 1_000, format, terminal::results, terminal, progress)
        .run(in, "the standard input");
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void linesAndErrorsKeepTheirOrderHoweverManyBatchesAreUnderWay(int inFlight)
      throws InterruptedException {
    StringBuilder input = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    StringBuilder errors = new StringBuilder();
    for (int i = 1; i <= 2_000; i++) {
      String line = "x".repeat(i * 7 % 31) + (i % 17 == 0 ? "bad" : "good") + i;
      input.append(line).append('\n');
      expected.append(i % 17 == 0 ? "" : line.toUpperCase(Locale.ROOT)).append('\n');
      errors.append(
          i % 17 == 0 ? "latimer: line " + i + " cannot be translated: too " + line + "\n" : "");
    }
    Capitals operator = new Capitals(inFlight);
    assertThat(translate(operator, 16, bytes(input.toString()))).isEqualTo(2_000 / 17);
    assertThat(out()).isEqualTo(expected.toString());
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(errors.toString());
    assertThat(operator.most).hasValueBetween(1, inFlight);
  }

  @Test
  void asManyBatchesAreUnderWayAsTheOperatorAsksFor() throws InterruptedException {
    CyclicBarrier both = new CyclicBarrier(2);
    Capitals operator =
        new Capitals(2) {
          @Override
          public List<Result<Translated>> apply(List<String> batch) {
            try {
              both.await(); // for ever, if batches came one at a time
            } catch (Exception e) {
              throw new AssertionError(e);
            }
            return super.apply(batch);
          }
        };
    assertThat(translate(operator, 1, bytes("a\nb\nc\nd\n"))).isZero();
    assertThat(out()).isEqualTo("A\nB\nC\nD\n");
  }

  @Test
  void whoTypesALineGetsItsTranslationBeforeTheNext() throws Exception {
    PipedOutputStream typed = new PipedOutputStream();
    PipedInputStream in = new PipedInputStream(typed);
    Thread typist =
        new Thread(
            () -> {
              try (typed) {
                for (String line : List.of("one\n", "two\n")) {
                  typed.write(line.getBytes(StandardCharsets.UTF_8));
                  typed.flush();
                  while (!out().endsWith(line.toUpperCase(Locale.ROOT))) {
                    Thread.sleep(1);
                  }
                }
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    typist.start();
    assertThat(translate(new Capitals(2), 64, in)).isZero();
    typist.join();
    assertThat(out()).isEqualTo("ONE\nTWO\n");
  }

  @Test
  void whatWasReadBeforeTheInputBrokeIsPrinted() {
    InputStream broken = new PipedInputStream(); // without an other end
    String lines = "line\n".repeat(1_000);
    assertThatThrownBy(
            () -> translate(new Capitals(2), 64, new SequenceInputStream(bytes(lines), broken)))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("cannot read the standard input");
    // The chunk in which it broke is lost, as much as was read of it.
    assertThat(out()).startsWith("LINE\n".repeat(512)).matches("(LINE\n)*");
  }

  @Test
  void whatTheOperatorThrowsIsThrownAndNothingAfterItIsPrinted() {
    Capitals operator =
        new Capitals(2) {
          @Override
          public List<Result<Translated>> apply(List<String> batch) {
            if (batch.contains("lost")) {
              throw new OperatorException("the device is lost");
            }
            return super.apply(batch);
          }
        };
    String lines = "one\n".repeat(64) + "lost\n" + "two\n".repeat(300);
    assertThatThrownBy(() -> translate(operator, 16, bytes(lines)))
        .isInstanceOf(OperatorException.class)
        .hasMessage("the device is lost");
    assertThat(out()).matches("(ONE\n){0,64}"); // as many as were in chunks before
  }
}
