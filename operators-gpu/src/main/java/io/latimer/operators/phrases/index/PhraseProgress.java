package io.latimer.operators.phrases.index;

/** Receives the progress of building an index. */
public interface PhraseProgress {
  /** Ignores all reports. */
  PhraseProgress NONE =
      new PhraseProgress() {
        @Override
        public void read(long bytes) {}

        @Override
        public void step(String what) {}
      };

  /** This many more bytes of text were read, unpacked. */
  void read(long bytes);

  /** A new step starts: a short description for the user. */
  void step(String what);
}
