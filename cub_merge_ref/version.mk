GPU_ONLY += cub_merge_ref
