package io.latimer.operators.util;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** A folder that only this user can write to. */
public final class PrivateFolder {
  private PrivateFolder() {}

  /**
   * Makes the folder if it does not exist, for this user alone (0700).
   *
   * @return where it is, if the path is a symbolic link of this user
   * @throws IOException if it cannot be made, belongs to another user, or others may write to it
   */
  public static Path of(Path path) throws IOException {
    Path parent = path.toAbsolutePath().normalize().getParent();
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      if (parent != null && !Files.isDirectory(parent)) { // createDirectories refuses a link
        Files.createDirectories(parent);
      }
      try {
        if (hasPermissions(path)) {
          Files.createDirectory(
              path,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } else {
          Files.createDirectory(path);
        }
      } catch (FileAlreadyExistsException e) {
        // another process has just made it
      }
    }
    if (!hasPermissions(path)) {
      return path.toRealPath();
    }
    Path folder = path.toRealPath();
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileSystemException(path.toString(), null, "not a folder");
    }
    UserPrincipal user = user();
    for (Path made : new Path[] {path, folder}) {
      if (!Files.getOwner(made, LinkOption.NOFOLLOW_LINKS).equals(user)) {
        throw new FileSystemException(
            path.toString(),
            null,
            "it belongs to another user; give a folder in it that does not exist yet");
      }
    }
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
    if (permissions.contains(PosixFilePermission.GROUP_WRITE)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new FileSystemException(
          path.toString(), null, "others may write to it; make it private (chmod 700)");
    }
    return folder;
  }

  private static boolean hasPermissions(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /**
   * The owner of the files that this process makes; its user may have no name. The probe file gets
   * a new folder of its own: in the checked one, another user might replace it.
   */
  private static UserPrincipal user() throws IOException {
    Path probe = Files.createTempDirectory("latimer-probe");
    try {
      return Files.getOwner(probe, LinkOption.NOFOLLOW_LINKS);
    } finally {
      Files.deleteIfExists(probe);
    }
  }
}
