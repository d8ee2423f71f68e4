package io.latimer.operators.lm.estimate;

/** Is told how far an estimation is. */
public interface EstimateProgress {
  /** Tells nobody. */
  EstimateProgress NONE =
      new EstimateProgress() {
        @Override
        public void read(long bytes) {}

        @Override
        public void step(String what) {}
      };

  /** So many more bytes of the text were read. */
  void read(long bytes);

  /** Something else begins now: a few words for the user. */
  void step(String what);
}
