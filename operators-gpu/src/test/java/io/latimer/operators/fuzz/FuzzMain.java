package io.latimer.operators.fuzz;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/**
 * The process that reads the inputs. Arguments: the class of the targets, a seed, the number of
 * rounds, a folder, and optionally {@code target:number} for a single input.
 *
 * <p>Exits with 0 if only documented errors came, with 1 after printing all others, and with 3 if
 * an input took longer than {@value #MAX_SECONDS} seconds. Whatever ends the process, the input
 * that it read is named in the file {@code reading}.
 */
public final class FuzzMain {
  private static final int MAX_SECONDS = 60;
  private static final int NAME_BYTES = 200;

  private static volatile long since;

  private final PrintStream out;
  private final Map<String, Integer> violations = new LinkedHashMap<>();
  private final MappedByteBuffer reading;

  private FuzzMain(Path folder, PrintStream out) throws IOException {
    this.out = out;
    try (FileChannel channel =
        FileChannel.open(
            folder.resolve("reading"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      reading = channel.map(FileChannel.MapMode.READ_WRITE, 0, NAME_BYTES);
    }
  }

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[3]);
    FuzzTargets targets =
        Class.forName(args[0]).asSubclass(FuzzTargets.class).getDeclaredConstructor().newInstance();
    FuzzMain main = new FuzzMain(folder, System.out);
    watch();
    Path files = Files.createDirectory(folder.resolve("files"));
    for (FuzzTarget target : targets.in(files)) {
      if (args.length < 5) {
        main.all(target, Long.parseLong(args[1]), Integer.parseInt(args[2]));
      } else if (args[4].startsWith(target.name() + ":")) {
        int number = Integer.parseInt(args[4].substring(target.name().length() + 1));
        main.one(target, Long.parseLong(args[1]), number);
      }
    }
    main.violations.forEach((what, times) -> System.out.println(times + " times " + what));
    Runtime.getRuntime().halt(main.violations.isEmpty() ? 0 : 1);
  }

  private void all(FuzzTarget target, long seed, int rounds) {
    long start = System.nanoTime();
    int read = 0;
    int refused = 0;
    for (; read < rounds * target.weight(); read++) {
      refused += one(target, seed, read) ? 1 : 0;
    }
    long millis = (System.nanoTime() - start) / 1_000_000;
    out.printf("%s: %d inputs, %d refused, %d ms%n", target.name(), read, refused, millis);
  }

  /** Returns whether the input was refused. */
  private boolean one(FuzzTarget target, long seed, int number) {
    String name = target.name() + ":" + number;
    byte[] padded = new byte[NAME_BYTES];
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(text, 0, padded, 0, text.length);
    reading.put(0, padded);
    since = System.nanoTime();
    byte[] input;
    try {
      input =
          target.inputs().next(new Random(seed + 1_000_003L * target.name().hashCode() + number));
    } catch (Exception e) {
      throw new IllegalStateException("the input " + name + " cannot be made", e);
    }
    try {
      target.reader().read(input);
      return false;
    } catch (Throwable e) {
      if (target.allows(e)) {
        return true;
      }
      report(name, e, input);
      return true;
    }
  }

  /** One report for each place that throws. */
  private void report(String name, Throwable thrown, byte[] input) {
    StringBuilder place = new StringBuilder();
    for (StackTraceElement element : thrown.getStackTrace()) {
      if (element.getClassName().startsWith("io.latimer") && place.length() < 400) {
        place.append("\n    at ").append(element);
      }
    }
    String what = thrown.getClass().getName() + place;
    if (violations.merge(what, 1, Integer::sum) == 1) {
      String message = String.valueOf(thrown.getMessage());
      out.println(
          "UNDOCUMENTED from "
              + name
              + " ("
              + input.length
              + " bytes): "
              + thrown.getClass().getName()
              + ": "
              + message.substring(0, Math.min(300, message.length()))
              + place);
    }
  }

  private static void watch() {
    since = System.nanoTime();
    Thread watcher =
        new Thread(
            () -> {
              while ((System.nanoTime() - since) / 1_000_000_000L < MAX_SECONDS) {
                try {
                  Thread.sleep(200);
                } catch (InterruptedException e) {
                  return;
                }
              }
              System.out.println("TOO SLOW");
              Thread.getAllStackTraces()
                  .forEach(
                      (thread, stack) -> {
                        System.out.println(thread);
                        for (StackTraceElement element : stack) {
                          System.out.println("    at " + element);
                        }
                      });
              Runtime.getRuntime().halt(3);
            },
            "watch");
    watcher.setDaemon(true);
    watcher.start();
  }

  /** Writes a file; an input is one. */
  static Path write(Path file, byte[] bytes) {
    try {
      return Files.write(file, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
