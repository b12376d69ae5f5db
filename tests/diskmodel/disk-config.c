// SPDX-License-Identifier: GPL-2.0
/*
 * Modelled disks are made and tuned in configfs:
 *
 *	mkdir /sys/kernel/config/diskmodel/disk0
 *	cd /sys/kernel/config/diskmodel/disk0
 *	echo sata-ssd >profile; echo 4096 >size_mb
 *	echo 1 >power			there is /dev/disk0, and its model is fixed
 *	cat stats
 *	echo 0 >power; rmdir ../disk0
 *
 * A profile is a set of values for all that can be tuned, chosen so that the disk
 * gives the figures that README.md names, with where they come from; calibrate
 * shows that it does.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "diskmodel.h"

#define DEFAULT_SIZE_MB 8192
#define MAX_SIZE_MB (64u << 20)

struct profile {
	const char *name;
	struct disk_params p;
};

/* What every profile begins with; values of the other kind of disk do no harm. */
#define COMMON						\
	.timeout_ms = 30000, .seed = 1, .store = 1,	\
	.gc_factor = 10, .slow_factor = 5

#define FLASH_LESS					\
	.channels = 1, .page_kb = 16, .read_us = 100, .write_us = 1000, .write_unit_kb = 16

#define MECH_LESS					\
	.actuators = 1, .media_kb_s = 1, .segments = 1, .segment_kb = 4, .destage_kb = 4

/* A desktop disk of 2009: 7,200 turns a minute, 8 MB of cache. */
#define HDD						\
	COMMON, FLASH_LESS,				\
	.hw_queues = 1,					\
	.queue_depth = 32,				\
	.max_request_kb = 1024,				\
	.link_mb_s = 250,				\
	.command_ns = 50000,				\
	.cache_kb = 8192,				\
	.rpm = 7200,					\
	.media_kb_s = 32000,				\
	.seek_min_us = 1000,				\
	.seek_max_us = 7800,				\
	.reorder_max_ms = 500,				\
	.segments = 16,					\
	.segment_kb = 512,				\
	.read_ahead_kb = 256,				\
	.read_ahead_min_kb = 256,			\
	.destage_kb = 1024,				\
	.destage_idle_ms = 20

static const struct profile profiles[] = {
	{ "hdd", { HDD, .actuators = 1 } },
	{ "two-actuator", { HDD, .actuators = 2 } },
	{ "sata-ssd", {
		COMMON, MECH_LESS,
		.hw_queues = 1,
		.queue_depth = 32,
		.max_request_kb = 1024,
		.link_mb_s = 510,
		.command_ns = 2000,
		.cache_kb = 65536,
		.read_ahead_kb = 512,
		.channels = 7,
		.page_kb = 16,
		.read_us = 158,
		.write_us = 1200,
		.write_unit_kb = 64,
	} },
	{ "nvme", {
		COMMON, MECH_LESS,
		.hw_queues = 4,
		.queue_depth = 1023,
		.max_request_kb = 512,
		.link_mb_s = 6400,
		.command_ns = 1000,
		.cache_kb = 262144,
		.read_ahead_kb = 512,
		.channels = 128,
		.page_kb = 16,
		.read_us = 68,
		.write_us = 1500,
		.write_unit_kb = 32,
	} },
	/* One request at a time, no cache, and a pause for erasing after every few MiB. */
	{ "sd-card", {
		COMMON, MECH_LESS,
		.hw_queues = 1,
		.queue_depth = 1,
		.max_request_kb = 512,
		.link_mb_s = 90,
		.command_ns = 430000,
		.read_ahead_kb = 128,
		.channels = 1,
		.page_kb = 16,
		.read_us = 180,
		.write_us = 1415,
		.write_unit_kb = 32,
		.erase_kb = 4096,
		.erase_us = 100000,
	} },
	{ "usb-stick", {
		COMMON, MECH_LESS,
		.hw_queues = 1,
		.queue_depth = 1,
		.max_request_kb = 120,
		.link_mb_s = 35,
		.command_ns = 800000,
		.read_ahead_kb = 128,
		.channels = 1,
		.page_kb = 16,
		.read_us = 400,
		.write_us = 2600,
		.write_unit_kb = 32,
		.erase_kb = 2048,
		.erase_us = 200000,
	} },
};

static struct disk *to_disk(struct config_item *item)
{
	return container_of(to_config_group(item), struct disk, group);
}

/* Write a number within bounds; what is frozen only while the power is off. */
static ssize_t set_number(struct disk *disk, u32 *where, bool frozen, const char *text,
			  size_t count, u32 least, u32 most)
{
	ssize_t ret;
	u32 value;

	ret = kstrtou32(text, 0, &value);
	if (ret)
		return ret;
	if (value < least || value > most)
		return -EINVAL;
	mutex_lock(&disk->config_lock);
	if (frozen && disk->power) {
		ret = -EBUSY;
	} else {
		WRITE_ONCE(*where, value);
		ret = count;
	}
	/* "hold" may be less now than what has been collected. */
	if (disk->power && !frozen)
		disk_release_held(disk);
	mutex_unlock(&disk->config_lock);
	return ret;
}

#define DISK_ATTR(_name, _least, _most, _frozen)					\
static ssize_t disk_##_name##_show(struct config_item *item, char *page)		\
{											\
	return sysfs_emit(page, "%u\n", to_disk(item)->p._name);			\
}											\
											\
static ssize_t disk_##_name##_store(struct config_item *item, const char *page,	\
				    size_t count)					\
{											\
	struct disk *disk = to_disk(item);						\
											\
	return set_number(disk, &disk->p._name, _frozen, page, count, _least, _most);	\
}											\
CONFIGFS_ATTR(disk_, _name)

DISK_ATTR(queue_depth, 1, 4096, true);
DISK_ATTR(hw_queues, 1, 64, true);
DISK_ATTR(max_request_kb, 4, 2048, true);
DISK_ATTR(link_mb_s, 1, 100000, true);
DISK_ATTR(command_ns, 0, 10000000, true);
DISK_ATTR(cache_kb, 0, 1048576, true);
DISK_ATTR(timeout_ms, 10, 600000, true);
DISK_ATTR(seed, 0, UINT_MAX, true);
DISK_ATTR(store, 0, 1, true);
DISK_ATTR(memory_mb, 0, 67108864, true);
DISK_ATTR(read_ahead_kb, 0, 65536, true);
DISK_ATTR(rpm, 0, 60000, true);
DISK_ATTR(actuators, 1, 8, true);
DISK_ATTR(media_kb_s, 1, 10000000, true);
DISK_ATTR(seek_min_us, 0, 1000000, true);
DISK_ATTR(seek_max_us, 0, 1000000, true);
DISK_ATTR(reorder, 0, 1, true);
DISK_ATTR(reorder_max_ms, 0, 600000, true);
DISK_ATTR(segments, 1, 64, true);
DISK_ATTR(segment_kb, 4, 65536, true);
DISK_ATTR(read_ahead_min_kb, 0, 65536, true);
DISK_ATTR(destage_kb, 4, 65536, true);
DISK_ATTR(destage_idle_ms, 0, 60000, true);
DISK_ATTR(channels, 1, 1024, true);
DISK_ATTR(page_kb, 4, 1024, true);
DISK_ATTR(read_us, 1, 1000000, true);
DISK_ATTR(write_us, 1, 10000000, true);
DISK_ATTR(write_unit_kb, 4, 4096, true);
DISK_ATTR(discard_us, 0, 1000000, true);
DISK_ATTR(gc_every_ms, 0, 3600000, true);
DISK_ATTR(gc_ms, 0, 60000, true);
DISK_ATTR(gc_factor, 1, 1000, true);
DISK_ATTR(fast_kb, 0, 1048576, true);
DISK_ATTR(fast_refill_kb_s, 0, 1048576, true);
DISK_ATTR(slow_factor, 1, 1000, true);
DISK_ATTR(erase_kb, 0, 1048576, true);
DISK_ATTR(erase_us, 0, 10000000, true);
DISK_ATTR(keep_every_ms, 0, 3600000, true);
DISK_ATTR(keep_ms, 0, 60000, true);
DISK_ATTR(steal_every_ms, 0, 3600000, true);
DISK_ATTR(steal_ms, 0, 100, true);
DISK_ATTR(error_per_million, 0, 1000000, false);
DISK_ATTR(timeout_per_million, 0, 1000000, false);
DISK_ATTR(hold, 0, 4096, false);

static ssize_t disk_profile_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", to_disk(item)->profile);
}

static ssize_t disk_profile_store(struct config_item *item, const char *page, size_t count)
{
	struct disk *disk = to_disk(item);
	ssize_t ret = -EINVAL;
	unsigned int i;

	mutex_lock(&disk->config_lock);
	for (i = 0; i < ARRAY_SIZE(profiles); i++) {
		if (!sysfs_streq(page, profiles[i].name))
			continue;
		ret = -EBUSY;
		if (disk->power)
			break;
		disk->p = profiles[i].p;
		disk->profile = profiles[i].name;
		ret = count;
		break;
	}
	mutex_unlock(&disk->config_lock);
	return ret;
}

static ssize_t disk_size_mb_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%llu\n", to_disk(item)->size_mb);
}

static ssize_t disk_size_mb_store(struct config_item *item, const char *page, size_t count)
{
	struct disk *disk = to_disk(item);
	ssize_t ret;
	u32 value;

	ret = kstrtou32(page, 0, &value);
	if (ret)
		return ret;
	if (!value || value > MAX_SIZE_MB)
		return -EINVAL;
	mutex_lock(&disk->config_lock);
	if (disk->power) {
		ret = -EBUSY;
	} else {
		disk->size_mb = value;
		ret = count;
	}
	mutex_unlock(&disk->config_lock);
	return ret;
}

static ssize_t disk_power_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", to_disk(item)->power);
}

static int set_power(struct disk *disk, bool power)
{
	int ret = 0;

	mutex_lock(&disk->config_lock);
	if (power && !disk->power) {
		ret = disk_power_on(disk);
		disk->power = !ret;
	} else if (!power && disk->power) {
		disk_power_off(disk);
		disk->power = false;
	}
	mutex_unlock(&disk->config_lock);
	return ret;
}

static ssize_t disk_power_store(struct config_item *item, const char *page, size_t count)
{
	bool power;
	int ret;

	ret = kstrtobool(page, &power);
	if (!ret)
		ret = set_power(to_disk(item), power);
	return ret ?: count;
}

struct stat_name {
	const char *name;
	size_t offset;
};

#define STAT(_name) { #_name, offsetof(struct disk_stats, _name) }

static const struct stat_name stat_names[] = {
	STAT(requests), STAT(reads), STAT(writes), STAT(flushes), STAT(discards), STAT(errors),
	STAT(timeouts), STAT(read_bytes), STAT(write_bytes), STAT(busy_ns), STAT(latency_ns),
	STAT(burst_requests), STAT(burst_quarter_ns), STAT(burst_three_quarters_ns),
	STAT(buffer_hits), STAT(media_reads), STAT(media_writes), STAT(seek_ns), STAT(rotate_ns), STAT(part_busy_ns),
	STAT(slow_programs), STAT(erases), STAT(kept), STAT(stolen), STAT(made_ns),
};

static ssize_t disk_stats_show(struct config_item *item, char *page)
{
	struct disk *disk = to_disk(item);
	struct disk_stats stats;
	unsigned int i;
	int len = 0;

	mutex_lock(&disk->config_lock);
	disk_snapshot(disk, &stats);
	mutex_unlock(&disk->config_lock);
	for (i = 0; i < ARRAY_SIZE(stat_names); i++)
		len += sysfs_emit_at(page, len, "%s %llu\n", stat_names[i].name,
				     *(u64 *)((char *)&stats + stat_names[i].offset));
	return len;
}

CONFIGFS_ATTR(disk_, profile);
CONFIGFS_ATTR(disk_, size_mb);
CONFIGFS_ATTR(disk_, power);
CONFIGFS_ATTR_RO(disk_, stats);

static struct configfs_attribute *disk_attrs[] = {
	&disk_attr_profile,
	&disk_attr_size_mb,
	&disk_attr_power,
	&disk_attr_stats,
	&disk_attr_queue_depth,
	&disk_attr_hw_queues,
	&disk_attr_max_request_kb,
	&disk_attr_link_mb_s,
	&disk_attr_command_ns,
	&disk_attr_cache_kb,
	&disk_attr_timeout_ms,
	&disk_attr_seed,
	&disk_attr_store,
	&disk_attr_memory_mb,
	&disk_attr_read_ahead_kb,
	&disk_attr_rpm,
	&disk_attr_actuators,
	&disk_attr_media_kb_s,
	&disk_attr_seek_min_us,
	&disk_attr_seek_max_us,
	&disk_attr_reorder,
	&disk_attr_reorder_max_ms,
	&disk_attr_segments,
	&disk_attr_segment_kb,
	&disk_attr_read_ahead_min_kb,
	&disk_attr_destage_kb,
	&disk_attr_destage_idle_ms,
	&disk_attr_channels,
	&disk_attr_page_kb,
	&disk_attr_read_us,
	&disk_attr_write_us,
	&disk_attr_write_unit_kb,
	&disk_attr_discard_us,
	&disk_attr_gc_every_ms,
	&disk_attr_gc_ms,
	&disk_attr_gc_factor,
	&disk_attr_fast_kb,
	&disk_attr_fast_refill_kb_s,
	&disk_attr_slow_factor,
	&disk_attr_erase_kb,
	&disk_attr_erase_us,
	&disk_attr_keep_every_ms,
	&disk_attr_keep_ms,
	&disk_attr_steal_every_ms,
	&disk_attr_steal_ms,
	&disk_attr_error_per_million,
	&disk_attr_timeout_per_million,
	&disk_attr_hold,
	NULL,
};

static void disk_release(struct config_item *item)
{
	kfree(to_disk(item));
}

static struct configfs_item_operations disk_item_ops = {
	.release = disk_release,
};

static const struct config_item_type one_type = {
	.ct_item_ops = &disk_item_ops,
	.ct_attrs = disk_attrs,
	.ct_owner = THIS_MODULE,
};

static struct config_group *make_disk(struct config_group *group, const char *name)
{
	struct disk *disk;

	if (strlen(name) >= DISK_NAME_LEN)
		return ERR_PTR(-ENAMETOOLONG);
	disk = kzalloc(sizeof(*disk), GFP_KERNEL);
	if (!disk)
		return ERR_PTR(-ENOMEM);
	disk_init(disk);
	disk->profile = profiles[0].name;
	disk->p = profiles[0].p;
	disk->size_mb = DEFAULT_SIZE_MB;
	config_group_init_type_name(&disk->group, name, &one_type);
	return &disk->group;
}

static void drop_disk(struct config_group *group, struct config_item *item)
{
	set_power(to_disk(item), false);
	config_item_put(item);
}

static struct configfs_group_operations top_ops = {
	.make_group = make_disk,
	.drop_item = drop_disk,
};

static const struct config_item_type top_type = {
	.ct_group_ops = &top_ops,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "diskmodel",
			.ci_type = &top_type,
		},
	},
};

int disk_config_init(void)
{
	config_group_init(&subsystem.su_group);
	mutex_init(&subsystem.su_mutex);
	return configfs_register_subsystem(&subsystem);
}

void disk_config_exit(void)
{
	configfs_unregister_subsystem(&subsystem);
}
