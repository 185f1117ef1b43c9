int gpuCheckCounters;
