package io.latimer.e2e.chaos;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The wall clock of processes, which can be stepped. A small library that is loaded before the C
 * library adds the seconds in a file to the time of day; the monotonic clock goes on. It needs a C
 * compiler.
 */
final class SteppedClock {
  private static final String FILE = "LATIMER_CHAOS_CLOCK";
  private static final String SOURCE =
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <fcntl.h>
      #include <stdlib.h>
      #include <sys/mman.h>
      #include <sys/time.h>
      #include <time.h>
      #include <unistd.h>

      static const volatile long *step;
      static const long none = 0;
      static int (*next_clock)(clockid_t, struct timespec *);
      static int (*next_day)(struct timeval *restrict, void *restrict);

      __attribute__((constructor)) static void begin(void) {
        next_clock = dlsym(RTLD_NEXT, "clock_gettime");
        next_day = dlsym(RTLD_NEXT, "gettimeofday");
        const char *name = getenv("LATIMER_CHAOS_CLOCK");
        int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
        if (file >= 0) {
          void *at = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
          if (at != MAP_FAILED) step = at;
          close(file);
        }
      }

      static long seconds(void) { return step ? *step : none; }

      int clock_gettime(clockid_t clock, struct timespec *time) {
        if (!next_clock) next_clock = dlsym(RTLD_NEXT, "clock_gettime");
        int status = next_clock(clock, time);
        if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) time->tv_sec += seconds();
        return status;
      }

      int gettimeofday(struct timeval *restrict time, void *restrict zone) {
        if (!next_day) next_day = dlsym(RTLD_NEXT, "gettimeofday");
        int status = next_day(time, zone);
        time->tv_sec += seconds();
        return status;
      }

      time_t time(time_t *out) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (out) *out = now.tv_sec;
        return now.tv_sec;
      }
      """;

  private final Path library;
  private final Path step;

  private SteppedClock(Path library, Path step) throws IOException {
    this.library = library;
    this.step = step;
    set(0);
  }

  /** Builds the library; empty where there is no C compiler. */
  static Optional<SteppedClock> build(Path folder) throws IOException, InterruptedException {
    Path source = Files.writeString(folder.resolve("clock.c"), SOURCE);
    Path library = folder.resolve("libclock.so");
    List<String> command =
        List.of("cc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString());
    try {
      int status =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("cc.log").toFile())
              .start()
              .waitFor();
      if (status != 0) {
        throw new IOException("cc failed: " + Files.readString(folder.resolve("cc.log")));
      }
    } catch (IOException e) {
      if (Files.exists(folder.resolve("cc.log")) && Files.size(folder.resolve("cc.log")) > 0) {
        throw e;
      }
      return Optional.empty(); // no compiler
    }
    return Optional.of(new SteppedClock(library, folder.resolve("clock-step")));
  }

  /** What processes with this clock need in their environment. */
  Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library.toString(), FILE, step.toString());
  }

  /** Sets the seconds by which the clock is fast; negative if it is slow. */
  void set(long seconds) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(step.toFile(), "rw")) {
      file.writeLong(Long.reverseBytes(seconds));
    }
  }
}
