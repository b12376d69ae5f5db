// SPDX-License-Identifier: GPL-2.0
/*
 * What is on a modelled disk: pages of memory under their number, made by the
 * first write.  What was never written, or was discarded, reads as zeroes.
 *
 * A page is found, and filled or emptied, under the xarray's lock, so a page that
 * a discard frees is in nobody's hands.  It is a plain spinlock: requests are
 * queued by processes and workers, never by an interrupt.
 *
 * Copying must cost little, for in virtual time an instruction is a nanosecond,
 * and a copy is no part of what a disk with DMA costs.  memcpy() may choose "rep
 * movsb" there, which counts once for every byte: eight at a time are better.
 */
#include <linux/highmem.h>
#include <linux/mm.h>

#include "diskmodel.h"

#ifdef CONFIG_X86_64
static void copy(void *to, const void *from, unsigned int bytes)
{
	unsigned long words = bytes / sizeof(u64);

	asm volatile("rep movsq" : "+D" (to), "+S" (from), "+c" (words) : : "memory");
}

static void clear(void *to, unsigned int bytes)
{
	unsigned long words = bytes / sizeof(u64);

	asm volatile("rep stosq" : "+D" (to), "+c" (words) : "a" (0ul) : "memory");
}
#else
#define copy(to, from, bytes) memcpy(to, from, bytes)
#define clear(to, bytes) memset(to, 0, bytes)
#endif

/* The page, made if need be; an error if there is no memory for it, now or ever. */
static struct page *page_to_write(struct disk *disk, unsigned long index)
{
	struct page *page = xa_load(&disk->store, index);

	if (page)
		return page;
	if (disk->pages >= disk->max_pages)
		return ERR_PTR(-ENOSPC);
	page = alloc_page(GFP_NOWAIT | __GFP_NOWARN | __GFP_ZERO | __GFP_HIGHMEM);
	if (!page)
		return ERR_PTR(-ENOMEM);
	if (xa_err(__xa_store(&disk->store, index, page, GFP_NOWAIT | __GFP_NOWARN))) {
		__free_page(page);
		return ERR_PTR(-ENOMEM);
	}
	disk->pages++;
	return page;
}

/* Move what lies in one page of the store. */
static int move(struct disk *disk, u64 pos, void *buf, unsigned int bytes, bool write)
{
	unsigned long index = pos >> PAGE_SHIFT;
	struct page *page;
	void *mem;

	page = write ? page_to_write(disk, index) : xa_load(&disk->store, index);
	if (IS_ERR(page))
		return PTR_ERR(page);
	if (!page) {
		clear(buf, bytes);
		return 0;
	}
	mem = kmap_local_page(page) + offset_in_page(pos);
	if (write)
		copy(mem, buf, bytes);
	else
		copy(buf, mem, bytes);
	kunmap_local(mem);
	return 0;
}

/**
 * disk_store_transfer - move a request's data
 * @disk: the disk
 * @rq: a read or a write
 *
 * Return: BLK_STS_RESOURCE if there is no memory now, and the request has to be
 * tried again (the part of it that is written already does no harm); BLK_STS_NOSPC
 * if memory_mb is used up.
 */
blk_status_t disk_store_transfer(struct disk *disk, struct request *rq)
{
	bool write = op_is_write(req_op(rq));
	u64 pos = blk_rq_pos(rq) << SECTOR_SHIFT;
	struct req_iterator iter;
	struct bio_vec bv;
	int ret = 0;

	xa_lock(&disk->store);
	rq_for_each_segment(bv, rq, iter) {
		void *buf = bvec_kmap_local(&bv);
		unsigned int at = 0;

		while (!ret && at < bv.bv_len) {
			unsigned int n = min_t(unsigned int, bv.bv_len - at,
					       PAGE_SIZE - offset_in_page(pos));

			ret = move(disk, pos, buf + at, n, write);
			at += n;
			pos += n;
		}
		kunmap_local(buf);
		if (ret)
			break;
	}
	xa_unlock(&disk->store);
	if (ret == -ENOSPC)
		pr_warn_once("diskmodel: more was written than memory_mb allows\n");
	return ret == -ENOMEM ? BLK_STS_RESOURCE : errno_to_blk_status(ret);
}

/* Whole pages are freed; of a page that is discarded in part, that part is cleared. */
void disk_store_discard(struct disk *disk, u64 sector, u64 sectors)
{
	u64 pos = sector << SECTOR_SHIFT, end = (sector + sectors) << SECTOR_SHIFT;
	unsigned long index;
	struct page *page;

	xa_lock(&disk->store);
	xa_for_each_range(&disk->store, index, page, pos >> PAGE_SHIFT, (end - 1) >> PAGE_SHIFT) {
		u64 start = (u64)index << PAGE_SHIFT;
		u64 from = max(pos, start), to = min(end, start + PAGE_SIZE);

		if (to - from < PAGE_SIZE) {
			memzero_page(page, from - start, to - from);
			continue;
		}
		__xa_erase(&disk->store, index);
		disk->pages--;
		__free_page(page);
	}
	xa_unlock(&disk->store);
}

void disk_store_create(struct disk *disk)
{
	/* Half of what there is, if nobody says how much: a full store shall not hang. */
	disk->pages = 0;
	disk->max_pages = disk->p.memory_mb ? (u64)disk->p.memory_mb << (20 - PAGE_SHIFT) :
					      totalram_pages() / 2;
}

void disk_store_free(struct disk *disk)
{
	unsigned long index;
	struct page *page;

	xa_for_each(&disk->store, index, page)
		__free_page(page);
	xa_destroy(&disk->store);
}
