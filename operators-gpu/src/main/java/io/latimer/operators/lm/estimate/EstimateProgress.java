package io.latimer.operators.lm.estimate;

/** Receives the progress of an estimation. */
public interface EstimateProgress {
  /** Ignores all reports. */
  EstimateProgress NONE =
      new EstimateProgress() {
        @Override
        public void read(long bytes) {}

        @Override
        public void step(String what) {}
      };

  /** This many more bytes of the text were read. */
  void read(long bytes);

  /** A new step starts: a short description for the user. */
  void step(String what);
}
