package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Reads trusted {@code .npz} files of this project's golden data, in the types that they hold. The
 * product's own reader checks what it reads and knows weights only; traces hold more.
 */
public final class Numpy implements WeightSource {
  private static final Pattern HEADER =
      Pattern.compile("'descr': '[<|]([a-z]\\d)'.*'shape': \\(([^)]*)\\)");

  private final String origin;
  private final Map<String, double[]> values = new LinkedHashMap<>();
  private final Map<String, int[]> shapes = new LinkedHashMap<>();

  public Numpy(Path file) {
    origin = file.getFileName().toString();
    try (ZipFile zip = new ZipFile(file.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        try (InputStream in = zip.getInputStream(entry)) {
          read(entry.getName().replaceFirst("\\.npy$", ""), in.readAllBytes());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(String name, byte[] bytes) {
    ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int start = b.get(6) == 1 ? 10 : 12;
    int length = b.get(6) == 1 ? b.getShort(8) & 0xffff : b.getInt(8);
    String header = new String(bytes, start, length, StandardCharsets.US_ASCII);
    Matcher m = HEADER.matcher(header);
    if (!m.find()) {
      throw new IllegalStateException(name + ": " + header);
    }
    int size = 1;
    int[] shape =
        Pattern.compile(",")
            .splitAsStream(m.group(2))
            .map(String::trim)
            .filter(s -> !s.isEmpty())
            .mapToInt(Integer::parseInt)
            .toArray();
    for (int n : shape) {
      size *= n;
    }
    b.position(start + length);
    double[] v = new double[size];
    for (int i = 0; i < size; i++) {
      v[i] =
          switch (m.group(1)) {
            case "f2" -> half(b.getShort());
            case "f4" -> b.getFloat();
            case "f8" -> b.getDouble();
            case "i1" -> b.get();
            case "i4" -> b.getInt();
            case "i8" -> b.getLong();
            default -> throw new IllegalStateException(name + " is " + m.group(1));
          };
    }
    values.put(name, v);
    shapes.put(name, shape);
  }

  private static float half(short bits) {
    int exponent = (bits >> 10) & 31;
    int mantissa = bits & 1023;
    float magnitude =
        exponent == 0 ? mantissa * 0x1p-24f : Math.scalb(1 + mantissa / 1024f, exponent - 15);
    return bits < 0 ? -magnitude : magnitude;
  }

  public double[] values(String name) {
    return values.get(name);
  }

  @Override
  public String origin() {
    return origin;
  }

  @Override
  public Set<String> names() {
    return values.keySet();
  }

  @Override
  public Tensor floats(String name) {
    double[] v = values.get(name);
    int[] shape = shapes.get(name);
    float[] f = new float[v.length];
    for (int i = 0; i < f.length; i++) {
      f[i] = (float) v[i];
    }
    return shape.length == 2
        ? Tensor.of(name, shape[0], shape[1], f)
        : Tensor.of(name, 1, f.length, f);
  }

  @Override
  public Optional<String> text(String name) {
    double[] v = values.get(name);
    if (v == null) {
      return Optional.empty();
    }
    byte[] bytes = new byte[v.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) v[i];
    }
    return Optional.of(new String(bytes, StandardCharsets.UTF_8).replace("\0", ""));
  }
}
