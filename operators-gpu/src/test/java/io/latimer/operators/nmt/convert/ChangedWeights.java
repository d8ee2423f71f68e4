package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A model's tensors with some of them changed, in memory. */
final class ChangedWeights implements WeightSource {
  private final WeightSource base;
  private final Map<String, Tensor> tensors = new LinkedHashMap<>();
  private String settings;

  ChangedWeights(WeightSource base) {
    this.base = base;
    for (String name : base.names()) {
      if (!name.startsWith("special:")) {
        tensors.put(name, base.floats(name));
      }
    }
    settings = base.text(MarianSettings.ENTRY).orElse(null);
  }

  ChangedWeights remove(String name) {
    if (tensors.remove(name) == null) {
      throw new IllegalStateException("no tensor " + name);
    }
    return this;
  }

  /** Gives every tensor the name that the function makes of its own. */
  ChangedWeights rename(UnaryOperator<String> names) {
    Map<String, Tensor> renamed = new LinkedHashMap<>();
    tensors.forEach(
        (name, t) -> {
          String to = names.apply(name);
          renamed.put(to, new Tensor(to, t.rows(), t.cols(), t.numbers()));
        });
    tensors.clear();
    tensors.putAll(renamed);
    return this;
  }

  ChangedWeights put(String name, int rows, int cols) {
    tensors.put(name, Tensor.of(name, rows, cols, new float[rows * cols]));
    return this;
  }

  ChangedWeights put(String name, Tensor tensor) {
    tensors.put(name, tensor);
    return this;
  }

  ChangedWeights set(String name, int index, float value) {
    Tensor t = tensors.get(name);
    float[] values = t.floats();
    values[index] = value;
    tensors.put(name, Tensor.of(name, t.rows(), t.cols(), values));
    return this;
  }

  ChangedWeights settings(String from, String to) {
    if (!settings.contains(from)) {
      throw new IllegalStateException("settings do not say " + from);
    }
    settings = settings.replace(from, to);
    return this;
  }

  ChangedWeights withoutSettings() {
    settings = null;
    return this;
  }

  @Override
  public String origin() {
    return base.origin();
  }

  @Override
  public Set<String> names() {
    return tensors.keySet();
  }

  @Override
  public Tensor floats(String name) {
    return tensors.get(name);
  }

  @Override
  public Optional<String> text(String name) {
    return Optional.ofNullable(settings);
  }
}
