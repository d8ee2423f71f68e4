package io.latimer.operators.nmt.cpu;

/** Arrays shared by the steps of one operator, which grow to the largest batch. */
final class Workspace {
  float[] recurrent = {};
  float[] multiplied = {};
  float[] mixed = {};
  final float[] gates;
  final float[] candidate;

  Workspace(int state) {
    gates = new float[4 * state];
    candidate = new float[state];
  }

  /** Returns the array, or a larger one without the old values. */
  static float[] atLeast(float[] array, long size) {
    if (size <= array.length) {
      return array;
    }
    return new float[Math.toIntExact(Math.max(size, Math.min(array.length * 2L, size * 2)))];
  }
}
