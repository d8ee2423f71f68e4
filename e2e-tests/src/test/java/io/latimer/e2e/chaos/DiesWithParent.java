package io.latimer.e2e.chaos;

import java.io.IOException;
import java.util.Arrays;

/**
 * Runs another program's {@code main} and halts when standard input ends: its parent has died. As a
 * Java agent, it does this to a program that scripts have started.
 */
final class DiesWithParent {
  private DiesWithParent() {}

  /** The program's class, and its arguments. */
  public static void main(String[] args) throws Exception {
    premain("");
    Class.forName(args[0])
        .getMethod("main", String[].class)
        .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
  }

  /** Called by the JVM that has it as an agent, without options. */
  public static void premain(String options) {
    Thread watch = new Thread(DiesWithParent::watch, "parent-watch");
    watch.setDaemon(true);
    watch.start();
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
