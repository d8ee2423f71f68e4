package io.latimer.operators.device.natives;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.Channel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The class loader that owns JCuda, JNA and the calls into them, one per process. It finds classes
 * in its own jar and native libraries in a private folder, so that neither JCuda nor JNA unpacks
 * anything to a folder that another user could have prepared.
 */
public final class NativeLoader extends URLClassLoader implements NativeLoaderMBean {
  private final Path folder;

  @SuppressWarnings("UnusedVariable") // the reference keeps it open
  private final Channel lock;

  /**
   * Called by the loader of the same jar, so that nothing here retains a job.
   *
   * @param lock keeps other processes from deleting the folder
   */
  public NativeLoader(Path jar, Path folder, Channel lock) throws MalformedURLException {
    super("latimer-natives", new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
    this.folder = folder;
    this.lock = lock;
  }

  @Override
  public String getFolder() {
    return folder.toString();
  }

  @Override
  protected String findLibrary(String name) {
    Path library = folder.resolve(System.mapLibraryName(name));
    return Files.isRegularFile(library) ? library.toString() : null;
  }
}
