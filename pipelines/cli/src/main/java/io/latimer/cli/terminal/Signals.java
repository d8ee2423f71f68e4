package io.latimer.cli.terminal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * The signals of the operating system, by {@code sun.misc.Signal}: the JDK has no other way to them
 * but shutdown hooks. It is named in strings alone, for the compiler warns of it and warnings are
 * errors here.
 */
final class Signals {
  private Signals() {}

  /** Puts the handler of a signal back that was there before. */
  interface Restore extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Takes a signal in the JVM's place.
   *
   * @param name without SIG, such as {@code INT}
   * @param handler called with the signal's number, in a thread of its own for each signal that
   *     comes
   * @return empty where the system has no such signal, or the JVM was told to leave signals alone
   *     ({@code -Xrs}); a process that was started to ignore the signal goes on ignoring it
   */
  static Optional<Restore> handle(String name, IntConsumer handler) {
    try {
      Class<?> signals = Class.forName("sun.misc.Signal");
      Class<?> handlers = Class.forName("sun.misc.SignalHandler");
      Method number = signals.getMethod("getNumber");
      Method handle = signals.getMethod("handle", signals, handlers);
      Object signal = signals.getConstructor(String.class).newInstance(name);
      Object ours =
          Proxy.newProxyInstance(
              handlers.getClassLoader(),
              new Class<?>[] {handlers},
              (proxy, method, arguments) -> {
                if (method.getDeclaringClass() != handlers) {
                  return method.invoke(handler, arguments); // equals, hashCode, toString
                }
                handler.accept((int) number.invoke(arguments[0]));
                return null;
              });
      Object before = handle.invoke(null, signal, ours);
      return Optional.of(() -> restore(handle, signal, before));
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException) {
        return Optional.empty();
      }
      throw new IllegalStateException("the signal " + name + " cannot be taken", e.getCause());
    } catch (ReflectiveOperationException e) {
      return Optional.empty(); // a JVM without them
    }
  }

  private static void restore(Method handle, Object signal, Object before) {
    try {
      handle.invoke(null, signal, before);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(signal + " cannot be given back", e);
    }
  }
}
