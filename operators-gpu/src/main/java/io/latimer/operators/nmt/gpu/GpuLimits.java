package io.latimer.operators.nmt.gpu;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.TransformerSettings;
import java.util.Locale;

/** The kernels' limits on models, as in latimer_kernels.h; the CPU supports larger models. */
final class GpuLimits {
  static final int STATE = 1 << 12;
  static final int ATTENTION = 1 << 14;
  static final int EMBEDDING = 1 << 16;
  static final int WIDTH = 1 << 14;
  static final int HEAD_WIDTH = 1 << 10;
  static final int FEED_FORWARD = 1 << 16;

  /**
   * Values in a row that is normalized as a whole: two of them fit into a block's shared memory.
   */
  static final int NORMALIZED_ROW = 3 << 12;

  private GpuLimits() {}

  /**
   * Checks a model before any memory is allocated for it.
   *
   * @throws OperatorException naming what is too large
   */
  static void check(NetworkSettings settings) {
    if (settings instanceof RnnSettings s) {
      atMost("state", s.state(), STATE);
      atMost("attention", s.attention(), ATTENTION);
      atMost("embedding", s.embedding(), EMBEDDING);
      if (s.normalizes()) {
        normalized(s);
      }
    } else if (settings instanceof TransformerSettings s) {
      atMost("width", s.width(), WIDTH);
      atMost("width of a head", s.headWidth(), HEAD_WIDTH);
      atMost("width of all heads", s.attentionWidth(), WIDTH);
      atMost("encoderFeedForward", s.encoderFeedForward(), FEED_FORWARD);
      atMost("decoderFeedForward", s.decoderFeedForward(), FEED_FORWARD);
      atMost("averageFeedForward", s.averageFeedForward(), FEED_FORWARD);
    }
  }

  /**
   * Compares what a model needs with what a device has, before it is taken.
   *
   * @param origin names the model
   * @param kept bytes of the weights and the shortlist's tables
   * @param passing bytes that are freed again when the model is loaded
   * @param free bytes of the device
   * @throws DeviceMemoryException saying how many bytes are needed and free
   */
  static void checkMemory(String origin, String device, long kept, long passing, long free) {
    if (kept + passing > free) {
      throw DeviceMemoryException.notFree(
          String.format(
              Locale.ROOT,
              "%s needs %,d bytes of %s's memory to load its weights (%,d to keep them), but %,d"
                  + " are free; free some, use a device with more, a precision of 16 bits, or"
                  + " translate on the CPU (--device cpu, device: cpu)",
              origin,
              kept + passing,
              device,
              kept,
              free));
    }
  }

  private static void normalized(RnnSettings s) {
    int gates = s.hasOnlyGru() ? 3 : 4;
    atMost("state (with normalized layers)", s.state(), NORMALIZED_ROW / gates);
    atMost("attention (with normalized layers)", s.attention(), NORMALIZED_ROW);
    atMost("embedding (with normalized layers)", s.embedding(), NORMALIZED_ROW);
  }

  private static void atMost(String what, int found, int most) {
    if (found > most) {
      throw new OperatorException(
          "the model's "
              + what
              + " is "
              + found
              + ", but a GPU supports at most "
              + most
              + "; translate on the CPU (--device cpu, device: cpu)");
    }
  }
}
