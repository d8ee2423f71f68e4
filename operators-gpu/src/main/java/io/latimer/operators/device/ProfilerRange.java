package io.latimer.operators.device;

/**
 * A named range of a thread's time in the timeline of a profiler that reads NVTX, such as Nsight
 * Systems, in the domain "latimer". Ranges of a thread nest. Without a profiler, or before a GPU is
 * open, a range is nothing and costs nothing.
 */
public final class ProfilerRange {
  private static final ProfilerRange NOTHING = new ProfilerRange(null);

  /** Of the process; null while no profiler listens. */
  private static volatile Driver profiled;

  private final Driver driver;

  private ProfilerRange(Driver driver) {
    this.driver = driver;
  }

  /** Makes ranges from now on if a profiler listens. */
  static void look(Driver driver) {
    profiled = driver.callInt("lat_profiler_listens", new Object[0]) == 0 ? null : driver;
  }

  /**
   * Begins a range of the calling thread, which must end it.
   *
   * @param what is done, such as the name of a stage
   * @param details of it, such as its number of records; joined by spaces
   */
  public static ProfilerRange begin(String what, Object... details) {
    Driver driver = profiled;
    if (driver == null) {
      return NOTHING;
    }
    StringBuilder name = new StringBuilder(what);
    for (Object detail : details) {
      name.append(' ').append(detail);
    }
    driver.callNothing("lat_range_begin", new Object[] {name.toString()});
    return new ProfilerRange(driver);
  }

  /** Ends it, and must be called by the thread that began it. */
  public void end() {
    if (driver != null) {
      driver.callNothing("lat_range_end", new Object[0]);
    }
  }
}
