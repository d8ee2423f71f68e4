package io.latimer.cli.job;

import io.latimer.cli.command.CommandException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;

/**
 * Flink's plugins in this process, such as the file system {@code s3:}, for index files and
 * checkpoints. They lie where Flink's own programs look for them: each in a folder of its own below
 * the one that {@code FLINK_PLUGINS_DIR} names.
 */
public final class FilePlugins {
  private FilePlugins() {}

  /**
   * Makes file systems known.
   *
   * @param engine Flink's settings, such as {@code s3.access-key}
   * @throws CommandException if the folder does not exist
   */
  public static void load(Configuration engine) {
    String folder = System.getenv(ConfigConstants.ENV_FLINK_PLUGINS_DIR);
    if (folder == null || folder.isEmpty()) {
      return; // else Flink would look into the working directory
    }
    if (!Files.isDirectory(Path.of(folder))) {
      throw new CommandException(
          folder
              + " is not a folder; "
              + ConfigConstants.ENV_FLINK_PLUGINS_DIR
              + " must name the folder with Flink's plugins, or be unset");
    }
    FileSystem.initialize(engine, PluginUtils.createPluginManagerFromRootFolder(engine));
  }
}
