package io.latimer.cli.terminal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Handles signals of the operating system with {@code sun.misc.Signal}: the JDK's only alternative
 * is shutdown hooks. It is accessed by reflection, because the compiler warns of it and warnings
 * are errors here.
 */
final class Signals {
  private Signals() {}

  /** Restores the previous handler of a signal. */
  interface Restore extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Handles a signal instead of the JVM.
   *
   * @param name without SIG, such as {@code INT}
   * @param handler called with the signal's number, in a new thread for each signal
   * @return empty if the system has no such signal, or the JVM leaves signals alone ({@code -Xrs});
   *     a process started with the signal ignored keeps ignoring it
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
      throw new IllegalStateException("the signal " + name + " cannot be handled", e.getCause());
    } catch (ReflectiveOperationException e) {
      return Optional.empty(); // a JVM without signals
    }
  }

  private static void restore(Method handle, Object signal, Object before) {
    try {
      handle.invoke(null, signal, before);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(signal + " cannot be restored", e);
    }
  }
}
