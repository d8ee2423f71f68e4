/**
 * Who may ask a Flink cluster's REST interface for what. Flink finds it as a service beside its own
 * classes, so it uses nothing else of Latimer: the images have it in a jar of its own.
 */
package io.latimer.pipelines.flink.rest;
