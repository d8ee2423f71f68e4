package io.latimer.operators.util;

/** Receives the progress of building an index from text. */
public interface BuildProgress {
  /** Ignores all reports. */
  BuildProgress NONE =
      new BuildProgress() {
        @Override
        public void read(long bytes) {}

        @Override
        public void step(String what) {}
      };

  /** This many more bytes of text were read. */
  void read(long bytes);

  /** A new step starts: a short description for the user. */
  void step(String what);
}
