package io.latimer.e2e.chaos;

import java.io.IOException;
import java.util.Arrays;

/** Runs another program's {@code main} and halts when standard input ends: its parent has died. */
final class DiesWithParent {
  private DiesWithParent() {}

  /** The program's class, and its arguments. */
  public static void main(String[] args) throws Exception {
    Thread watch = new Thread(DiesWithParent::watch, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    Class.forName(args[0])
        .getMethod("main", String[].class)
        .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
  }

  private static void watch() {
    try {
      while (System.in.read() >= 0) {
        // the parent sends nothing
      }
    } catch (IOException e) {
      System.err.println("the connection to the parent broke, which counts as its end: " + e);
    }
    Runtime.getRuntime().halt(0);
  }
}
