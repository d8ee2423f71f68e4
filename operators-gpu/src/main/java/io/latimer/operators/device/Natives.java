package io.latimer.operators.device;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.natives.NativeCalls;
import io.latimer.operators.device.natives.NativeLoader;
import io.latimer.operators.util.ProcessFolder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.nio.channels.Channel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Native code, loaded once per process.
 *
 * <p>A JVM binds a native library to one class loader, and Flink gives every job its own. So the
 * classes that use native code are copied, with JCuda, JNA and the libraries, into a private
 * folder, and loaded from there by a {@link NativeLoader} that belongs to no job. Jobs find it
 * through the JVM's management server, by the hash of what it loads: jobs of one version share it,
 * jobs of two versions each have their own. It is called through {@link Driver}, whose types all
 * class loaders share.
 */
final class Natives {
  private static final String KERNELS = "io/latimer/kernels/linux-x86_64/liblatimer_kernels.so";

  /** The contents of the native class loader: a class of each part, and related resources. */
  private static final Map<String, String> PARTS =
      Map.of(
          "io/latimer/operators/device/natives/NativeCalls.class",
          "io/latimer/operators/device/natives/",
          "jcuda/driver/JCudaDriver.class",
          "jcuda/",
          "com/sun/jna/Native.class",
          "com/sun/jna/");

  /** File names of native libraries in the folder, by resource. */
  private static final Map<String, String> LIBRARIES =
      Map.of(
          "lib/libJCudaDriver-12.6.0-linux-x86_64.so",
          "libJCudaDriver-12.6.0-linux-x86_64.so",
          "com/sun/jna/linux-x86-64/libjnidispatch.so",
          "libjnidispatch.so",
          KERNELS,
          "liblatimer_kernels.so");

  private static final String KERNELS_PROPERTIES = "io/latimer/kernels/kernels.properties";
  private static final String JNA_FOLDER = "jna.boot.library.path";

  private static Natives instance;

  private final Driver driver;
  private final ClassLoader loader;

  private Natives(Driver driver, ClassLoader loader) {
    this.driver = driver;
    this.loader = loader;
  }

  /**
   * Loads the kernel library unless it is loaded.
   *
   * @throws OperatorException with one sentence if this build or this platform has none
   */
  static synchronized Natives get() {
    if (instance == null) {
      instance = load(Natives.class.getClassLoader());
    }
    return instance;
  }

  /** The calls into native code. */
  Driver driver() {
    return driver;
  }

  /** The class loader of these calls, one per process. */
  ClassLoader loader() {
    return loader;
  }

  /** The build's properties of the kernel library; empty if missing. */
  static Properties kernelProperties() {
    Properties properties = new Properties();
    try (InputStream in = Natives.class.getClassLoader().getResourceAsStream(KERNELS_PROPERTIES)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new OperatorException(KERNELS_PROPERTIES + " cannot be read: " + e.getMessage(), e);
    }
    return properties;
  }

  private static Natives load(ClassLoader source) {
    requirePlatform();
    if (source.getResource(KERNELS) == null) {
      String reason = kernelProperties().getProperty("reason", "the kernels are not part of it");
      throw new OperatorException(
          "this build of Latimer has no GPU kernels ("
              + reason
              + "); build it where CUDA's nvcc is installed");
    }
    try {
      Map<String, byte[]> classes = classes(source);
      Map<String, byte[]> libraries = new TreeMap<>();
      for (Map.Entry<String, String> library : LIBRARIES.entrySet()) {
        libraries.put(library.getValue(), resource(source, library.getKey()));
      }
      ClassLoader loader = shared(classes, libraries);
      return new Natives(driver(loader), loader);
    } catch (IOException | JMException | ReflectiveOperationException | LinkageError e) {
      throw new OperatorException("the GPU libraries cannot be loaded: " + e, e);
    }
  }

  private static void requirePlatform() {
    String os = System.getProperty("os.name", "");
    String architecture = System.getProperty("os.arch", "");
    if (!os.toLowerCase(Locale.ROOT).startsWith("linux")
        || !List.of("amd64", "x86_64").contains(architecture)) {
      throw new OperatorException(
          "GPU kernels run on Linux x86-64 only, this is " + os + " " + architecture);
    }
  }

  /** Finds or creates the process's loader for this content. */
  private static ClassLoader shared(Map<String, byte[]> classes, Map<String, byte[]> libraries)
      throws IOException, JMException, ReflectiveOperationException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name =
        new ObjectName("io.latimer:type=NativeLoader,content=" + hash(classes, libraries));
    // The server is the one thing that the class loaders of all jobs share.
    synchronized (server) {
      if (!server.isRegistered(name)) {
        server.registerMBean(make(classes, libraries), name);
      }
      return server.getClassLoader(name);
    }
  }

  /** Writes everything to a private folder (0700) of this process, which is deleted at its end. */
  private static Object make(Map<String, byte[]> classes, Map<String, byte[]> libraries)
      throws IOException, ReflectiveOperationException {
    ProcessFolder own = ProcessFolder.create("latimer-natives");
    own.deleteOnExit();
    Path folder = own.path();
    for (Map.Entry<String, byte[]> library : libraries.entrySet()) {
      write(folder.resolve(library.getKey()), library.getValue());
    }
    Path jar = folder.resolve("natives.jar");
    write(jar, jar(classes));
    // The loader's own class is also loaded from that jar; from this class loader, it would retain
    // this job's classes.
    ClassLoader first =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
    return first
        .loadClass(NativeLoader.class.getName())
        .getConstructor(Path.class, Path.class, Channel.class)
        .newInstance(jar, folder, own.lock());
  }

  private static void write(Path file, byte[] bytes) throws IOException {
    file.toFile().deleteOnExit();
    Files.write(file, bytes);
  }

  private static byte[] jar(Map<String, byte[]> classes) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
        jar.putNextEntry(new JarEntry(entry.getKey()));
        jar.write(entry.getValue());
        jar.closeEntry();
      }
    }
    return bytes.toByteArray();
  }

  private static String hash(Map<String, byte[]> classes, Map<String, byte[]> libraries) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Map<String, byte[]> part : List.of(classes, libraries)) {
        part.forEach(
            (name, bytes) -> {
              digest.update(name.getBytes(StandardCharsets.UTF_8));
              digest.update(bytes);
            });
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /** The classes of all parts, sorted by the name of their entry. */
  private static Map<String, byte[]> classes(ClassLoader source) throws IOException {
    Map<String, byte[]> classes = new TreeMap<>();
    for (Map.Entry<String, String> part : PARTS.entrySet()) {
      URL known = source.getResource(part.getKey());
      if (known == null) {
        throw new OperatorException(part.getKey() + " is missing from this build of Latimer");
      }
      URLConnection connection = known.openConnection();
      if (connection instanceof JarURLConnection inJar) {
        inJar.setUseCaches(false);
        try (JarFile jar = inJar.getJarFile()) {
          addClasses(jar, part.getValue(), classes);
        }
      } else {
        addClasses(folderOf(known), part.getValue(), classes);
      }
    }
    return classes;
  }

  private static void addClasses(JarFile jar, String prefix, Map<String, byte[]> classes)
      throws IOException {
    Enumeration<JarEntry> entries = jar.entries();
    while (entries.hasMoreElements()) {
      JarEntry entry = entries.nextElement();
      if (entry.getName().startsWith(prefix) && entry.getName().endsWith(".class")) {
        try (InputStream in = jar.getInputStream(entry)) {
          classes.put(entry.getName(), in.readAllBytes());
        }
      }
    }
  }

  /** A build without jars: the classes are in a folder. */
  private static void addClasses(Path folder, String prefix, Map<String, byte[]> classes)
      throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
        classes.put(prefix + file.getFileName(), Files.readAllBytes(file));
      }
    }
  }

  private static Path folderOf(URL file) {
    Path parent = Path.of(URI.create(file.toString())).getParent();
    if (parent == null) {
      throw new OperatorException(file + " lies in no folder");
    }
    return parent;
  }

  private static byte[] resource(ClassLoader source, String name) throws IOException {
    try (InputStream in = source.getResourceAsStream(name)) {
      if (in == null) {
        throw new OperatorException(name + " is missing from this build of Latimer");
      }
      return in.readAllBytes();
    }
  }

  /** Calls the native classes of a loader. */
  private static Driver driver(ClassLoader loader) throws ReflectiveOperationException {
    String folder = loader.getClass().getMethod("getFolder").invoke(loader).toString();
    Class<?> calls = withJnaFolder(folder, () -> loader.loadClass(NativeCalls.class.getName()));
    Map<Method, Method> targets = new HashMap<>();
    for (Method method : Driver.class.getDeclaredMethods()) {
      targets.put(method, calls.getMethod(method.getName(), method.getParameterTypes()));
    }
    Driver driver =
        (Driver)
            Proxy.newProxyInstance(
                Driver.class.getClassLoader(),
                new Class<?>[] {Driver.class},
                (proxy, method, arguments) -> {
                  try {
                    return targets.get(method).invoke(null, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    withJnaFolder(
        folder,
        () -> {
          driver.loadKernels(Path.of(folder, "liblatimer_kernels.so").toString());
          return null;
        });
    return driver;
  }

  /** JNA looks for its own library in this property's folder; the property is process-wide. */
  private static <T> T withJnaFolder(String folder, Callable<T> work)
      throws ReflectiveOperationException {
    synchronized (Runtime.getRuntime()) {
      String before = System.getProperty(JNA_FOLDER);
      System.setProperty(JNA_FOLDER, folder);
      try {
        return work.call();
      } catch (ReflectiveOperationException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new OperatorException("the GPU libraries cannot be loaded: " + e, e);
      } finally {
        if (before == null) {
          System.clearProperty(JNA_FOLDER);
        } else {
          System.setProperty(JNA_FOLDER, before);
        }
      }
    }
  }
}
