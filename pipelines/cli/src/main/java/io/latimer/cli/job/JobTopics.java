package io.latimer.cli.job;

import io.latimer.pipelines.job.JobConfig;
import java.util.LinkedHashMap;
import java.util.Map;

/** The topics that a job names. */
final class JobTopics {
  private JobTopics() {}

  /** Those that a job takes commands, models and corrections from, with the keys that name them. */
  static Map<String, String> ofControl(JobConfig.Control control) {
    Map<String, String> topics = new LinkedHashMap<>();
    topics.put(control.topic(), "control");
    for (JobConfig.Follow follow : control.follow()) {
      topics.putIfAbsent(follow.topic(), "control.follow of stage " + follow.stage());
    }
    for (JobConfig.Learn learn : control.learn()) {
      if (!learn.corrections().isEmpty()) {
        topics.putIfAbsent(learn.corrections(), "control.learn of stage " + learn.stage());
      }
    }
    return topics;
  }
}
